"""A square behind the fixed block reads the noisy value. In TensorFlow 2."""

import json

import tensorflow as tf


def the_end(x, u):
    y = x**2
    z = tf.sqrt(y * u)
    clean = tf.sqrt(y)
    fixed = tf.stop_gradient(z - clean) + clean
    return fixed**2


@tf.custom_gradient
def block(x, u):
    """The same block with a gradient of its own: it need not stand at the end either."""
    return tf.sqrt(x**2 * u), lambda upstream: (upstream * tf.sign(x), None)


x = tf.constant([-2.0, -1.0, 1.0], tf.float64)
u = tf.constant(1.44, tf.float64)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    w = the_end(x, u)
    linear = 3 * block(x, u) + 1
print(
    json.dumps(
        {
            "forward": w.numpy().tolist(),
            "trick_gradient": tape.gradient(w, x).numpy().tolist(),
            "custom_linear": tape.gradient(linear, x).numpy().tolist(),
        }
    )
)
