"""No trick: the noise is a factor in the gradient. In TensorFlow 2."""

import json

import tensorflow as tf


def noise_leaks(x, u):
    y = x**2
    yu = y * u
    return tf.sqrt(yu)


x = tf.constant([-2.0, -1.0, 1.0], tf.float64)
u = tf.constant([1.04, 0.94, 1.08], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    z = noise_leaks(x, u)
gradient = tape.gradient(z, x)
print(json.dumps({"forward": z.numpy().tolist(), "trick_gradient": gradient.numpy().tolist()}))
