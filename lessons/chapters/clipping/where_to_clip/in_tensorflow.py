"""A training step with its gradients clipped over both weights. In TensorFlow 2."""

import json

import tensorflow as tf

x, limit = 2.0, 3.0
w, v = tf.Variable(1.0, dtype=tf.float64), tf.Variable(2.0, dtype=tf.float64)
with tf.GradientTape() as tape:
    loss = (v * (w * x)) ** 2 / 2
gradients = tape.gradient(loss, [w, v])
clipped, norm = tf.clip_by_global_norm(gradients, limit)  # between gradient and apply_gradients
optimizer = tf.keras.optimizers.SGD(0.3)
optimizer.apply_gradients(zip(clipped, [w, v], strict=True))
print(
    json.dumps(
        {
            "forward": [float(loss)],
            "trick_gradient": [float(one) for one in gradients],  # used, if the clip came later
            "intended_gradient": [float(one) for one in clipped],
            "returned": float(norm),
        }
    )
)
