"""The article's rule for Mul, which equals the built-in gradient of the weight. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


@tf.RegisterGradient("mulGrad")
def mul_grad(op, upstream):
    return upstream * op.inputs[1], None


w = tf.constant([-1.0, 0.013, 2.0], tf.float64)
i = tf.fill([3], tf.constant(10.0, tf.float64))
with tf.get_default_graph().gradient_override_map({"Mul": "mulGrad"}):
    y = tf.multiply(w, i)
(gradient,) = tf.gradients(y, w)
(of_input,) = tf.gradients(y, i)
with tf.Session() as session:
    value, slope = session.run([y, gradient])
print(
    json.dumps(
        {
            "forward": value.tolist(),
            "trick_gradient": slope.tolist(),
            "gradient_of_the_input": of_input,
        }
    )
)
