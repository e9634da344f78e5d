"""A halved gradient behind (6·x)²: the rule is handed 1, not the gradient of x. In TensorFlow 2."""

import json

import tensorflow as tf


@tf.custom_gradient
def halved_identity(y):
    return tf.identity(y), lambda upstream: upstream * 0.5


def halve(x):
    return halved_identity(tf.square(x * 6))


x = tf.constant([-2.0, 1.0, 3.0], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = halve(x)
gradient = tape.gradient(y, x)
print(json.dumps({"forward": y.numpy().tolist(), "trick_gradient": gradient.numpy().tolist()}))
