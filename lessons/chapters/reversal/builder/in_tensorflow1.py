"""The article's FlipGradientBuilder: two calls, then a second builder. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph.
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


flip = FlipGradientBuilder()
x = tf.constant([-1.5, -0.5, 1.0], tf.float64)
y = flip(x, 2.0) ** 3 + flip(x, 0.5) ** 2
(gradient,) = tf.gradients(y, x)
try:
    FlipGradientBuilder()(x, 2.0)
    refusal = ""
except KeyError as error:
    refusal = type(error).__name__
with tf.Session() as session:
    value, slope = session.run([y, gradient])
print(json.dumps({"forward": value.tolist(), "trick_gradient": slope.tolist(), "refusal": refusal}))
