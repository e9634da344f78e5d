"""The value of sign, the gradient of tanh, in the article's general form. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

func, grad_func = tf.sign, tf.tanh

x = tf.constant([-2.0, -0.1, 0.4], tf.float64)
o = grad_func(x) + tf.stop_gradient(func(x) - grad_func(x))
(gradient,) = tf.gradients(o, x)
with tf.Session() as session:
    value, slope = session.run([o, gradient])
print(json.dumps({"forward": value.tolist(), "trick_gradient": slope.tolist()}))
