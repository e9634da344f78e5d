"""stop_gradient on one factor of two: the other way back is left. In TensorFlow 2."""

import json

import tensorflow as tf


def two_passes(x):
    first = tf.stop_gradient(x)
    return first**2 * x


x = tf.constant([-2.0, -1.0, 3.0], tf.float64)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = two_passes(x)
    stopped = tf.stop_gradient(x)
gradient = tape.gradient(y, x)
alone = tape.gradient(stopped, x)
print(
    json.dumps(
        {
            "forward": y.numpy().tolist(),
            "trick_gradient": gradient.numpy().tolist(),
            "leaf_alone": str(alone),
        }
    )
)
