"""A rule on Identity and one on Square, differentiated once and twice. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph: the map is a method of the graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


@tf.RegisterGradient("TimesTen")
def times_ten(op, upstream):
    return 10 * upstream


@tf.RegisterGradient("ThreeX")
def three_x(op, upstream):
    return 3 * op.inputs[0] * upstream


x = tf.constant([-2.0, 1.0, 2.0], tf.float64)
with tf.get_default_graph().gradient_override_map({"Identity": "TimesTen", "Square": "ThreeX"}):
    y = tf.identity(x) ** 3
    z = tf.square(x)
(first,) = tf.gradients(y, x)
(second,) = tf.gradients(first, x)
(square_first,) = tf.gradients(z, x)
(square_second,) = tf.gradients(square_first, x)
found = {
    "forward": y,
    "trick_gradient": first,
    "identity_second": second,
    "square_first": square_first,
    "square_second": square_second,
}
with tf.Session() as session:
    values = session.run(found)
print(json.dumps({name: value.tolist() for name, value in values.items()}))
