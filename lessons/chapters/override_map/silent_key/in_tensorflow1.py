"""The right key, and keys that TensorFlow ignores without a word. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph: the map is a method of the graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.constant([-2.0, 1.0, 2.5], tf.float64)


def square_wave(key):
    with tf.get_default_graph().gradient_override_map({key: "Identity"}):
        y = tf.sign(tf.sin(x))
    return y, tf.gradients(y, x)[0]


y, gradient = square_wave("Sign")
found = {
    "forward": y,
    "trick_gradient": gradient,
    "lower_there": square_wave("sign")[1],
    "misspelt_there": square_wave("Sing")[1],
    "absent_there": square_wave("MatMul")[1],
}
with tf.Session() as session:
    values = session.run(found)
print(json.dumps({name: value.tolist() for name, value in values.items()}))
