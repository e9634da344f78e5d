"""Which ops a map reaches: one, three in a row, an inner map, a library function. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph: the map is a method of the graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
override = tf.get_default_graph().gradient_override_map


@tf.RegisterGradient("TimesTen")
def times_ten(op, upstream):
    return 10 * upstream


@tf.RegisterGradient("TimesTwo")
def times_two(op, upstream):
    return 2 * upstream


@tf.RegisterGradient("NoProduct")
def no_product(op, upstream):
    return tf.zeros_like(op.inputs[0]), tf.zeros_like(op.inputs[1])


x = tf.constant([-2.0, 1.0, 3.0], tf.float64)
before = tf.identity(x)
with override({"Identity": "TimesTen"}):
    one = tf.identity(x)
    three = tf.identity(tf.identity(tf.identity(x)))
    with override({"Identity": "TimesTwo"}):
        inner = tf.identity(x)
    with override({"Identity": "Identity"}):
        restored = tf.identity(x)
    (created_before,) = tf.gradients(before**2, x)
with override({"Mul": "NoProduct"}):
    unit = tf.nn.l2_normalize(x)  # the multiplication is inside


def slope(y):
    return tf.gradients(y**2, x)[0]


found = {
    "forward": one**2,
    "trick_gradient": slope(one),
    "three_ops": slope(three),
    "nested": slope(inner),
    "restored": slope(restored),
    "created_before": created_before,
    "through_library": tf.gradients(unit[0], x)[0],
}
with tf.Session() as session:
    values = session.run(found)
print(json.dumps({name: value.tolist() for name, value in values.items()}))
