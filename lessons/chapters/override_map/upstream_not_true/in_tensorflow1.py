"""A halved gradient as the article writes it. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph. The identity stands inside the map.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


@tf.RegisterGradient("Halve")
def half(op, upstream):
    return upstream * 0.5


def halve(x):
    with tf.get_default_graph().gradient_override_map({"Identity": "Halve"}):
        return tf.identity(tf.square(x * 6))


x = tf.constant([-2.0, 1.0, 3.0], tf.float64)
y = halve(x)
(gradient,) = tf.gradients(y, x)
with tf.Session() as session:
    value, slope = session.run([y, gradient])
print(json.dumps({"forward": value.tolist(), "trick_gradient": slope.tolist()}))
