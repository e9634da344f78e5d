"""A rule for one identity, bound when the op runs. In TensorFlow 2.

There is no map any more: an op of one's own carries its gradient, wherever the tape is.
"""

import json

import tensorflow as tf


@tf.custom_gradient
def identity(x):
    return tf.identity(x), lambda upstream: 10.0 * upstream


x = tf.constant([-2.0, 1.0, 3.0], tf.float64)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = identity(x) ** 2
    three = identity(identity(identity(x))) ** 2
gradient = tape.gradient(y, x)
three_ops = tape.gradient(three, x)
print(
    json.dumps(
        {
            "forward": y.numpy().tolist(),
            "trick_gradient": gradient.numpy().tolist(),
            "three_ops": three_ops.numpy().tolist(),
        }
    )
)
