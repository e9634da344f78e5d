"""Softmax and squared error, as a wrong answer's logit grows. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

x = tf.placeholder(tf.float64, [None])
logits = tf.stack([x, tf.zeros_like(x)], axis=-1)
target = tf.constant([0.0, 1.0], tf.float64)
loss = tf.reduce_sum((tf.nn.softmax(logits) - target) ** 2, axis=-1)
(gradient,) = tf.gradients(loss, x)
with tf.Session() as session:
    value, slope = session.run([loss, gradient], {x: [-2.0, 0.7, 4.0, 8.0]})
print(json.dumps({"forward": value.tolist(), "trick_gradient": slope.tolist()}))
