"""An identity whose gradient is clipped, its value used twice. In TensorFlow 2."""

import json

import tensorflow as tf


def clipped_identity(x, limit):
    @tf.custom_gradient
    def op(x):
        return tf.identity(x), lambda upstream: tf.clip_by_value(upstream, -limit, limit)

    return op(x)


def clip_identity(x, limit, factor):
    y = factor * clipped_identity(x, limit)
    return y + y


x = tf.constant([-2.0, 1.0, 3.0], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = clip_identity(x, 1.0, 3.0)
gradient = tape.gradient(y, x)
print(json.dumps({"forward": y.numpy().tolist(), "trick_gradient": gradient.numpy().tolist()}))
