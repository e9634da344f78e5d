"""An op named Identity that is a Mul, and its type in the graph. In TensorFlow 2.

Eager TensorFlow knows no map; a graph function still does.
"""

import json

import tensorflow as tf


@tf.RegisterGradient("HalveByType")
def half(op, upstream):
    return upstream * 0.5


@tf.function
def type_not_name(x):
    with tf.compat.v1.get_default_graph().gradient_override_map({"Identity": "HalveByType"}):
        product = tf.multiply(x, 6.0, name="Identity")
        y = tf.identity(tf.square(product))
    return y, *tf.gradients(y, x)


x = tf.constant([-2.0, 1.0, 3.0], tf.float64)
y, gradient = type_not_name(x)
ops = type_not_name.get_concrete_function(x).graph.get_operations()
types = {op.name: op.type for op in ops if op.type in ("Mul", "Square")}
print(
    json.dumps(
        {
            "forward": y.numpy().tolist(),
            "trick_gradient": gradient.numpy().tolist(),
            "type_of_the_op_named_identity": types["Identity"],
        }
    )
)
