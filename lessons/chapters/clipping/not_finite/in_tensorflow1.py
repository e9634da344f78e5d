"""The slope of a root at 0, and what clipping by norm makes of it. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph.
"""

import json
import math

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def plain(values):
    return [float(v) if math.isfinite(v) else str(v) for v in values.tolist()]


w = tf.placeholder(tf.float64, [None])
y = tf.sqrt(w)
(gradient,) = tf.gradients(y, w)
by_norm = tf.clip_by_norm(gradient, 1.0)
checked = tf.check_numerics(gradient, "the gradient is not finite")  # raises when it is run
with tf.Session() as session:
    value, slope, clipped = session.run([y, gradient, by_norm], {w: [4.0, 1.0, 0.25, 0.0]})
print(
    json.dumps(
        {
            "forward": plain(value),
            "trick_gradient": plain(slope),
            "inf_norm_first": plain(clipped)[0],
            "inf_norm_last": plain(clipped)[-1],
        }
    )
)
