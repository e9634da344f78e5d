"""stop_gradient on one factor of two, as the article writes it. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

x = tf.constant([-2.0, -1.0, 3.0], tf.float64)
first = tf.stop_gradient(x)
y = first**2 * x
(gradient,) = tf.gradients(y, x)
(alone,) = tf.gradients(tf.stop_gradient(x), x)
with tf.Session() as session:
    value, slope = session.run([y, gradient])
print(
    json.dumps(
        {
            "forward": value.tolist(),
            "trick_gradient": slope.tolist(),
            "leaf_alone": str(alone),
        }
    )
)
