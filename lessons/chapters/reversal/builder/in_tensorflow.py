"""Two reversals, each with its own scale, and no names. In TensorFlow 2."""

import json

import tensorflow as tf


def flip(x, scale):
    @tf.custom_gradient
    def layer(x):
        return tf.identity(x), lambda upstream: -scale * upstream

    return layer(x)


x = tf.constant([-1.5, -0.5, 1.0], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = flip(x, 2.0) ** 3 + flip(x, 0.5) ** 2
gradient = tape.gradient(y, x)
print(json.dumps({"forward": y.numpy().tolist(), "trick_gradient": gradient.numpy().tolist()}))
