"""A guided gradient for every op of type Relu, the model left as it is. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph: the map is a method of the graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


@tf.RegisterGradient("GuidedRelu")
def guided(op, upstream):
    return tf.where(op.outputs[0] > 0, tf.maximum(upstream, 0), tf.zeros_like(upstream))


def model(x, relu):
    """Eight relus, and a score behind them that weighs some of them negatively."""
    y = relu(x)
    return y, tf.reduce_sum([1, 0.5, 1.5, 1, -1, -0.5, -1.5, -1] * y)


x = tf.constant([-2, -1, 1, 2, -1.5, -0.5, 0.5, 1.5])
with tf.get_default_graph().gradient_override_map({"Relu": "GuidedRelu"}):
    y, score = model(x, tf.nn.relu)
    _, missed = model(x, lambda x: tf.maximum(x, 0))  # a Maximum: no word about it

gradients = tf.gradients(score, x)[0], tf.gradients(missed, x)[0]
with tf.Session() as session:
    value, guided_gradient, plain_gradient = session.run([y, *gradients])
print(
    json.dumps(
        {
            "forward": value.tolist(),
            "trick_gradient": guided_gradient.tolist(),
            "true_gradient": plain_gradient.tolist(),
        }
    )
)
