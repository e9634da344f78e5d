"""Straight-through rounding with a square behind it. In TensorFlow 2."""

import json

import tensorflow as tf


def straight_round(x):
    return x + tf.stop_gradient(tf.round(x) - x)


x = tf.constant([-2.7, 0.4, 1.6], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = straight_round(x) ** 2
gradient = tape.gradient(y, x)
large = tf.constant(300, tf.bfloat16)
lost = large + tf.stop_gradient(tf.sign(large) - large)
print(
    json.dumps(
        {
            "forward": y.numpy().tolist(),
            "trick_gradient": gradient.numpy().tolist(),
            "bfloat16_difference": float(lost),
        }
    )
)
