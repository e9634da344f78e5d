"""stop_gradient around the noise, the first try in the article. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph; the noise is fixed here.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

x = tf.constant([-2.0, -1.0, 1.0], tf.float64)
u = tf.constant([1.04, 0.94, 1.08], tf.float64)

y = tf.square(x)
yu = y * u
yu_fixed = tf.stop_gradient(yu - y) + y
z = tf.sqrt(yu_fixed)
(gradient,) = tf.gradients(z, x)
with tf.Session() as session:
    value, slope = session.run([z, gradient])
print(json.dumps({"forward": value.tolist(), "trick_gradient": slope.tolist()}))
