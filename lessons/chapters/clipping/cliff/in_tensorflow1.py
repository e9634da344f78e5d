"""One recurrent unit over 50 steps and its clipped gradient at one start. In TensorFlow 1."""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
LIMIT = 0.3

w = tf.constant(4.3, tf.float64)
b = tf.constant(-2.2, tf.float64)
x = tf.constant(0.5, tf.float64)
for _ in range(50):
    x = w * tf.sigmoid(x) + b
error = (tf.sigmoid(x) - 0.7) ** 2

gradients = tf.gradients(error, [w, b])
by_value = [tf.clip_by_value(gradient, -LIMIT, LIMIT) for gradient in gradients]
by_norm, norm_before = tf.clip_by_global_norm(gradients, LIMIT)

with tf.Session() as session:
    fetched = session.run(
        {
            "forward": [w, b],
            "error": error,
            "trick_gradient": by_value,
            "true_gradient": gradients,
            "intended_gradient": by_norm,
            "norm_at_start": norm_before,
        }
    )
print(
    json.dumps(
        {
            name: [float(one) for one in value] if isinstance(value, list) else float(value)
            for name, value in fetched.items()
        }
    )
)
