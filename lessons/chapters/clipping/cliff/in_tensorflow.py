"""One recurrent unit over 50 steps: its gradient at one start, then clipped descent. In TF 2."""

import json

import tensorflow as tf

RATE, LIMIT, UPDATES = 1.0, 0.3, 300


def error_of(w, b):
    x = tf.fill(tf.shape(w), tf.constant(0.5, tf.float64))
    for _ in range(50):
        x = w * tf.sigmoid(x) + b
    return (tf.sigmoid(x) - 0.7) ** 2


@tf.function(reduce_retracing=True)
def gradient_of(w, b):
    with tf.GradientTape() as tape:
        tape.watch([w, b])
        error = error_of(w, b)
    return error, tf.stack(tape.gradient(error, [w, b]))


def by_value(gradient):
    return tf.clip_by_value(gradient, -LIMIT, LIMIT)


def by_norm(gradient):
    # One start: of a whole list of tensors it is tf.clip_by_global_norm.
    return tf.clip_by_norm(gradient, LIMIT, axes=[0])


def inside(w, b):
    return (w >= 3) & (w <= 7) & (b >= -3.5) & (b <= -1.5)


start = tf.constant([4.3, -2.2], tf.float64)
error, gradient = gradient_of(start[:1], start[1:])
# One start in each cell of a grid of 15 by 15; TensorFlow draws other random numbers than torch.
tf.random.set_seed(0)
within = tf.random.uniform([2, 5, 15, 15], dtype=tf.float64)
cells = tf.stack(tf.meshgrid(*[tf.range(15, dtype=tf.float64)] * 2))[:, None]
starts = (cells + within) / 15 * [[[[4.0]]], [[[2.0]]]] + [[[[3.0]]], [[[-3.5]]]]
trained = {}
for name, clip in {"none": tf.identity, "value": by_value, "norm": by_norm}.items():
    w, b = tf.unstack(tf.reshape(starts, [2, -1]))
    stayed = inside(w, b)
    for _ in range(UPDATES):
        w, b = tf.unstack(tf.stack([w, b]) - RATE * clip(gradient_of(w, b)[1]))
        stayed &= inside(w, b)
    arrived = stayed & (error_of(w, b) < 1e-3)
    trained[f"{name}_stayed"] = float(tf.reduce_mean(tf.cast(arrived, tf.float64)))

print(
    json.dumps(
        {
            "forward": start.numpy().tolist(),
            "error": float(error[0]),
            "trick_gradient": by_value(gradient)[:, 0].numpy().tolist(),
            "true_gradient": gradient[:, 0].numpy().tolist(),
            "intended_gradient": by_norm(gradient)[:, 0].numpy().tolist(),
            "trained": trained,
        }
    )
)
