"""A gradient reversal as the article builds it: an identity under an override map. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph. Each call registers a rule under a
name of its own, because a registered name cannot be used twice in one process.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


class FlipGradientBuilder:
    def __init__(self):
        self.calls = 0

    def __call__(self, x, scale):
        name = f"FlipGradient{self.calls}"
        self.calls += 1

        @tf.RegisterGradient(name)
        def flip_rule(op, upstream):
            return [-scale * upstream]

        with tf.get_default_graph().gradient_override_map({"Identity": name}):
            return tf.identity(x)


flip_gradient = FlipGradientBuilder()


def flip(x, scale, beside):
    return flip_gradient(x, scale) ** 3 + beside * x


x = tf.constant([-1.5, -0.5, 1.0], tf.float64)
y = flip(x, 2.0, 2.0)
(gradient,) = tf.gradients(y, x)
with tf.Session() as session:
    value, slope = session.run([y, gradient])
print(json.dumps({"forward": value.tolist(), "trick_gradient": slope.tolist()}))
