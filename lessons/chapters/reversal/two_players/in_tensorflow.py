"""Extractor and domain classifier with a reversal between them. In TensorFlow 2."""

import json

import tensorflow as tf


def flip_gradient(x, scale):
    @tf.custom_gradient
    def layer(x):
        return tf.identity(x), lambda upstream: -scale * upstream

    return layer(x)


def two_players(w1, w2, x, domain, scale):
    seen = flip_gradient(x @ w1, scale)
    logit = tf.linalg.matvec(seen, w2)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(domain, logit))


inputs = [[-1.1, 0.5], [-0.7, -0.6], [-0.2, 0.3], [0.2, -0.3], [0.8, 0.6], [1.1, -0.4]]
x = tf.constant(inputs, tf.float64)
domain = tf.constant([0, 0, 0, 1, 1, 1], tf.float64)
angle = tf.constant(20.0, tf.float64) * (3.141592653589793 / 180)
w1 = tf.Variable([[1.0, 0.3], [-0.2, 0.8]], dtype=tf.float64)
w2 = tf.Variable(tf.stack([tf.cos(angle), tf.sin(angle)]))
with tf.GradientTape() as tape:
    loss = two_players(w1, w2, x, domain, 2.0)
dw1, dw2 = tape.gradient(loss, [w1, w2])
gradient = tf.concat([tf.reshape(dw1, [-1]), dw2], 0)
print(json.dumps({"forward": [float(loss)], "trick_gradient": gradient.numpy().tolist()}))
