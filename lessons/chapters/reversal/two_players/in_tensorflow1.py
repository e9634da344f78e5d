"""Extractor and domain classifier, the reversal an identity under an override map. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph.
"""

import json
import math

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

SCALE = 2.0


@tf.RegisterGradient("FlipGradient")
def flip_rule(op, upstream):
    return [-SCALE * upstream]


inputs = [[-1.1, 0.5], [-0.7, -0.6], [-0.2, 0.3], [0.2, -0.3], [0.8, 0.6], [1.1, -0.4]]
x = tf.constant(inputs, tf.float64)
domain = tf.constant([0, 0, 0, 1, 1, 1], tf.float64)
angle = math.radians(20.0)
w1 = tf.constant([[1.0, 0.3], [-0.2, 0.8]], tf.float64)
w2 = tf.constant([math.cos(angle), math.sin(angle)], tf.float64)
feature = x @ w1
with tf.get_default_graph().gradient_override_map({"Identity": "FlipGradient"}):
    seen = tf.identity(feature)
logit = tf.linalg.matvec(seen, w2)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=domain, logits=logit))
dw1, dw2 = tf.gradients(loss, [w1, w2])
with tf.Session() as session:
    value, slopes = session.run([loss, tf.concat([tf.reshape(dw1, [-1]), dw2], 0)])
print(json.dumps({"forward": [float(value)], "trick_gradient": slopes.tolist()}))
