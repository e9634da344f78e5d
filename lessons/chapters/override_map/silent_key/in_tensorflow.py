"""A sign that passes its gradient on: no key, so none to misspell. In TensorFlow 2."""

import json

import tensorflow as tf


@tf.custom_gradient
def sign(x):
    return tf.sign(x), lambda upstream: upstream


x = tf.constant([-2.0, 1.0, 2.5], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = sign(tf.sin(x))
gradient = tape.gradient(y, x)
print(json.dumps({"forward": y.numpy().tolist(), "trick_gradient": gradient.numpy().tolist()}))
