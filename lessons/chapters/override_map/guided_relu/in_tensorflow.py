"""Guided gradients of a small Keras network, trained on shapes, one seed. TensorFlow 2.

TensorFlow 2 has no override by op type in eager mode: the trained model is cloned, and each of its
relus is replaced in the clone. TensorFlow draws other random numbers than torch.
"""

import json
import math

import tensorflow as tf

SIDE, BATCH, STEPS = 21, 32, 400
tf.keras.utils.set_random_seed(0)


@tf.custom_gradient
def guided_relu(x):
    y = tf.nn.relu(x)

    def backward(upstream):
        return tf.where(y > 0, tf.maximum(upstream, 0), tf.zeros_like(upstream))

    return y, backward


def pictures(count):
    """Triangles, circles and crosses in turn, in noise; [count, SIDE, SIDE, 1]."""
    turn, size, right, down = tf.unstack(tf.random.uniform([4, count, 1, 1]))
    turn, size = 2 * math.pi * turn, 0.5 + 0.17 * size
    marks = (tf.range(SIDE, dtype=tf.float32) + 0.5) * 2 / SIDE - 1
    x, y = marks - 0.4 * (right - 0.5), marks[:, None] - 0.4 * (down - 0.5)
    x, y = tf.cos(turn) * x + tf.sin(turn) * y, tf.cos(turn) * y - tf.sin(turn) * x
    triangle = tf.maximum(3**0.5 / 2 * abs(x) + y / 2, -y) - 0.62 * size
    circle = tf.sqrt(x**2 + y**2) - size
    wide, long = 0.33 * size, 1.15 * size
    upright = tf.maximum(abs(x) - wide, abs(y) - long)
    cross = tf.minimum(upright, tf.maximum(abs(y) - wide, abs(x) - long))
    kind = tf.range(count)[:, None, None] % 3
    outside = tf.where(kind == 0, triangle, tf.where(kind == 1, circle, cross))
    noise = tf.random.uniform(tf.shape(outside), -1, 1) * 0.25 * 3**0.5
    return (tf.sigmoid(-4 * SIDE / 1.5 * outside) + noise)[..., None]


def network():
    def drawn(inputs):  # uniform within ±1/√fan-in, as torch's layers are
        draw = tf.keras.initializers.RandomUniform(-(inputs**-0.5), inputs**-0.5)
        return {"kernel_initializer": draw, "bias_initializer": draw}

    return tf.keras.Sequential(
        [
            tf.keras.Input([SIDE, SIDE, 1]),
            tf.keras.layers.Conv2D(8, 5, 2, activation="relu", **drawn(25)),
            tf.keras.layers.Conv2D(16, 3, 2, activation="relu", **drawn(72)),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(32, activation="relu", **drawn(256)),
            tf.keras.layers.Dense(3, **drawn(32)),
        ]
    )


model = network()
adam = tf.keras.optimizers.Adam(0.01, epsilon=1e-8)
entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def step():
    with tf.GradientTape() as tape:
        loss = entropy(tf.range(BATCH) % 3, model(pictures(BATCH)))
    weights = model.trainable_variables
    adam.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))


for _ in range(STEPS):
    step()


def maps(model, x, relu):
    """The gradient of each picture's own score in its pixels, [count, SIDE · SIDE]."""
    clone = tf.keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    for layer in clone.layers:
        if getattr(layer, "activation", None) is tf.keras.activations.relu:
            layer.activation = relu
    with tf.GradientTape() as tape:
        tape.watch(x)
        score = tf.reduce_sum(clone(x) * tf.one_hot(tf.range(len(x)) % 3, 3))
    return tf.reshape(tape.gradient(score, x), [len(x), -1])


def alike(one, other):
    """Rank correlation of the maps of each picture, their mean."""
    a, b = (tf.cast(tf.argsort(tf.argsort(maps)), tf.float32) for maps in (one, other))
    a, b = (tf.linalg.l2_normalize(r - tf.reduce_mean(r, 1, True), 1) for r in (a, b))
    return float(tf.reduce_mean(tf.reduce_sum(a * b, 1)))


tested = pictures(150)
right = tf.argmax(model(tested), 1, tf.int32) == tf.range(150) % 3
trained = {"accuracy": float(tf.reduce_mean(tf.cast(right, tf.float32)))}
changed = tf.keras.models.clone_model(model)
changed.set_weights([*model.get_weights()[:-2], *network().get_weights()[-2:]])
for name, relu in {"plain": tf.nn.relu, "guided": guided_relu}.items():
    trained[f"{name}_1"] = alike(maps(model, tested[:9], relu), maps(changed, tested[:9], relu))

# The eight relus: the rule by itself.
x = tf.constant([-2, -1, 1, 2, -1.5, -0.5, 0.5, 1.5])
gradients = []
for relu in (guided_relu, tf.nn.relu):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = relu(x)
        score = tf.reduce_sum([1, 0.5, 1.5, 1, -1, -0.5, -1.5, -1] * y)
    gradients.append(tape.gradient(score, x).numpy().tolist())
print(
    json.dumps(
        {
            "forward": y.numpy().tolist(),
            "trick_gradient": gradients[0],
            "true_gradient": gradients[1],
            "trained": trained,
        }
    )
)
