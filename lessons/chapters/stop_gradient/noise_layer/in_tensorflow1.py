"""Noisy forward, clean backward, a tanh behind it, as the article writes it. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph; the noise is fixed here.
"""

import json
import math

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def noise_layer(x, u):
    noisy = x * u
    return x + tf.stop_gradient(noisy - x)


x = tf.constant([-2 + i / 4 for i in range(17)], tf.float64)
fixed = [i * (math.sqrt(5) - 1) / 2 % 1 for i in range(1, 18)]
u = tf.constant([1 + 0.9 * (2 * v - 1) for v in fixed], tf.float64)

out = noise_layer(x, u)
y = tf.tanh(out)
(gradient,) = tf.gradients(y, x)
with tf.Session() as session:
    value, slope = session.run([out, gradient])
print(json.dumps({"forward": value.tolist(), "trick_gradient": slope.tolist()}))
