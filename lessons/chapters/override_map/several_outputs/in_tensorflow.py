"""A rule for three outputs that multiplies upstream gradients: no gradient. In TensorFlow 2."""

import json

import tensorflow as tf


@tf.custom_gradient
def three_outputs(a, b):
    def backward(grad1, grad2, grad3):
        return grad1 * grad2 * b, None

    return (a + b, a * b, a - b), backward


a = tf.constant([-2.0, 1.0, 2.0], tf.float64)
b = tf.fill([3], tf.constant(3.0, tf.float64))
with tf.GradientTape(persistent=True) as tape:
    tape.watch(a)
    o1, o2, o3 = three_outputs(a, b)
    total, without_second = o1 + o2 + o3, o1 + o3
print(
    json.dumps(
        {
            "forward": total.numpy().tolist(),
            "trick_gradient": tape.gradient(total, a).numpy().tolist(),
            "second_unused": tape.gradient(without_second, a).numpy().tolist(),
        }
    )
)
