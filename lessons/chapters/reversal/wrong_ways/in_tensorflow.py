"""A layer with a method named backward reverses nothing. In TensorFlow 2."""

import json
import math

import tensorflow as tf


class Reversal(tf.keras.layers.Layer):
    def call(self, x):
        return tf.identity(x)

    def backward(self, upstream):  # never called; tf.custom_gradient inside call would be
        return -2.0 * upstream


inputs = [[-1.1, 0.5], [-0.7, -0.6], [-0.2, 0.3], [0.2, -0.3], [0.8, 0.6], [1.1, -0.4]]
x = tf.constant(inputs, tf.float64)
domain = tf.constant([0, 0, 0, 1, 1, 1], tf.float64)
angle = math.radians(20.0)
w1 = tf.Variable([[1.0, 0.3], [-0.2, 0.8]], dtype=tf.float64)
w2 = tf.Variable([math.cos(angle), math.sin(angle)], dtype=tf.float64)
with tf.GradientTape() as tape:
    seen = Reversal(dtype="float64")(x @ w1)
    logit = tf.linalg.matvec(seen, w2)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(domain, logit))
dw1, dw2 = tape.gradient(loss, [w1, w2])
gradient = tf.concat([tf.reshape(dw1, [-1]), dw2], 0)
print(json.dumps({"forward": [float(loss)], "trick_gradient": gradient.numpy().tolist()}))
