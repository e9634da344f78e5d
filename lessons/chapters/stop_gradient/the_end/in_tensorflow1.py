"""A square behind the fixed block, and a rule on the noise's Mul mid-graph. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


@tf.RegisterGradient("TakeNoiseOut")
def take_noise_out(op, upstream):
    return tf.sqrt(op.inputs[1]) * upstream, None


x = tf.constant([-2.0, -1.0, 1.0], tf.float64)
u = tf.constant([1.44, 1.44, 1.44], tf.float64)
y = tf.square(x)

z = tf.stop_gradient(tf.sqrt(y * u) - tf.sqrt(y)) + tf.sqrt(y)
w = tf.square(z)
(gradient,) = tf.gradients(w, x)

with tf.get_default_graph().gradient_override_map({"Mul": "TakeNoiseOut"}):
    yu = y * u
(by_rule,) = tf.gradients(tf.sqrt(yu), x)

with tf.Session() as session:
    value, slope, ruled = session.run([w, gradient, by_rule])
print(
    json.dumps(
        {
            "forward": value.tolist(),
            "trick_gradient": slope.tolist(),
            "rule_nothing": ruled.tolist(),
        }
    )
)
