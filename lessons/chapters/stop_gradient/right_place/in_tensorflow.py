"""stop_gradient around the whole block: value noisy, gradient clean. In TensorFlow 2."""

import json

import tensorflow as tf


def right_place(x, u):
    y = x**2
    z = tf.sqrt(y * u)
    clean = tf.sqrt(y)
    return tf.stop_gradient(z - clean) + clean


x = tf.constant([-2.0, -1.0, 1.0], tf.float64)
u = tf.constant([1.04, 0.94, 1.08], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    z = right_place(x, u)
gradient = tape.gradient(z, x)
print(json.dumps({"forward": z.numpy().tolist(), "trick_gradient": gradient.numpy().tolist()}))
