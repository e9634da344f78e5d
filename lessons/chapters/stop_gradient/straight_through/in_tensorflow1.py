"""Straight-through rounding as the article writes it, its dashes made minus signs. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

x = tf.constant([-2.7, 0.4, 1.6], tf.float64)
o = x + tf.stop_gradient(tf.round(x) - x)
y = tf.square(o)
(gradient,) = tf.gradients(y, x)
with tf.Session() as session:
    value, slope = session.run([y, gradient])
print(json.dumps({"forward": value.tolist(), "trick_gradient": slope.tolist()}))
