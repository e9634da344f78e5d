"""A rule for a product of two inputs: one gradient for each, in their order. In TensorFlow 2."""

import json

import tensorflow as tf


@tf.custom_gradient
def mul(w, i):
    return w * i, lambda upstream: (upstream * i, None)


w = tf.constant([-1.0, 0.013, 2.0], tf.float64)
i = tf.fill([3], tf.constant(10.0, tf.float64))
with tf.GradientTape() as tape:
    tape.watch(w)
    y = mul(w, i)
gradient = tape.gradient(y, w)
print(json.dumps({"forward": y.numpy().tolist(), "trick_gradient": gradient.numpy().tolist()}))
