"""The slope of a root at 0, and what clipping by norm makes of it. In TensorFlow 2."""

import json
import math

import tensorflow as tf


def plain(values):
    return [float(v) if math.isfinite(v) else str(v) for v in values.numpy().tolist()]


w = tf.constant([4.0, 1.0, 0.25, 0.0], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(w)
    y = tf.sqrt(w)
gradient = tape.gradient(y, w)
clipped = plain(tf.clip_by_norm(gradient, 1.0))  # clip_by_global_norm makes all of it NaN
print(
    json.dumps(
        {
            "forward": plain(y),
            "trick_gradient": plain(gradient),
            "inf_norm_first": clipped[0],
            "inf_norm_last": clipped[-1],
        }
    )
)
