"""The article's rule for two inputs and three outputs, on a PyFunc op. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


@tf.RegisterGradient("funcGrad")
def func_grad(op, grad1, grad2, grad3):
    return grad1 * grad2 * op.inputs[1], None


a = tf.constant([-2.0, 1.0, 2.0], tf.float64)
b = tf.fill([3], tf.constant(3.0, tf.float64))
with tf.get_default_graph().gradient_override_map({"PyFunc": "funcGrad"}):
    o1, o2, o3 = tf.py_func(lambda a, b: (a + b, a * b, a - b), [a, b], [tf.float64] * 3)
total = o1 + o2 + o3
(gradient,) = tf.gradients(total, a)
(unused,) = tf.gradients(o1 + o3, a)
with tf.Session() as session:
    value, slope, zero = session.run([total, gradient, unused])
print(
    json.dumps(
        {
            "forward": value.tolist(),
            "trick_gradient": slope.tolist(),
            "second_unused": zero.tolist(),
        }
    )
)
