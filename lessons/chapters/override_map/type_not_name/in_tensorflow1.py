"""The article's op named Identity, which is a Mul, and what is overridden instead. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
graph = tf.get_default_graph()


@tf.RegisterGradient("HalveByType")
def half(op, upstream):
    return upstream * 0.5


x = tf.constant([-2.0, 1.0, 3.0], tf.float64)
with graph.gradient_override_map({"Identity": "HalveByType"}):
    product = tf.multiply(x, 6.0, name="Identity")
    y = tf.identity(tf.square(product))
(gradient,) = tf.gradients(y, x)
with tf.Session() as session:
    value, slope = session.run([y, gradient])
print(
    json.dumps(
        {
            "forward": value.tolist(),
            "trick_gradient": slope.tolist(),
            "type_of_the_op_named_identity": graph.get_operation_by_name("Identity").type,
        }
    )
)
