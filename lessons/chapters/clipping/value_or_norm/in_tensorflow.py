"""One gradient clipped by value and by norm. In TensorFlow 2."""

import json

import tensorflow as tf


def loss(w):
    return tf.reduce_sum(w**2) / 2


w = tf.Variable([3.0, 1.0], dtype=tf.float64)
with tf.GradientTape() as tape:
    value = loss(w)
gradient = tape.gradient(value, w)
by_value = tf.clip_by_value(gradient, -1.5, 1.5)
by_norm = tf.clip_by_norm(gradient, 1.5)  # of several tensors: tf.clip_by_global_norm
print(
    json.dumps(
        {
            "forward": w.numpy().tolist(),
            "trick_gradient": by_value.numpy().tolist(),
            "intended_gradient": by_norm.numpy().tolist(),
        }
    )
)
