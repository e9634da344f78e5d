"""An identity whose gradient is clipped by an override map, its value used twice. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph: the map is a method of the graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
limit = 1.0


@tf.RegisterGradient("ClipTo")
def clip(op, upstream):
    return tf.clip_by_value(upstream, -limit, limit)


def clip_identity(x, factor):
    with tf.get_default_graph().gradient_override_map({"Identity": "ClipTo"}):
        y = factor * tf.identity(x)
    return y + y


x = tf.constant([-2.0, 1.0, 3.0], tf.float64)
y = clip_identity(x, 3.0)
(gradient,) = tf.gradients(y, x)
with tf.Session() as session:
    value, slope = session.run([y, gradient])
print(json.dumps({"forward": value.tolist(), "trick_gradient": slope.tolist()}))
