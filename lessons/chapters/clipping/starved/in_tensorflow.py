"""Softmax and squared error, as a wrong answer's logit grows. In TensorFlow 2."""

import json

import tensorflow as tf


def starved(x, right):
    logits = tf.stack([x, tf.fill(tf.shape(x), right)], axis=-1)
    p = tf.nn.softmax(logits)
    return p[:, 0] ** 2 + (1 - p[:, 1]) ** 2


x = tf.constant([-2.0, 0.7, 4.0, 8.0], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    loss = starved(x, tf.constant(0.0, tf.float64))
gradient = tape.gradient(loss, x)
print(json.dumps({"forward": loss.numpy().tolist(), "trick_gradient": gradient.numpy().tolist()}))
