"""Domain-adversarial training of the twin moons, one seed. In TensorFlow 2.

TensorFlow draws other random numbers than torch, so the digits differ.
"""

import json
import math
from itertools import pairwise

import tensorflow as tf

STEPS, MOON = 1000, 150
tf.keras.utils.set_random_seed(0)
LABELS = tf.tile(tf.repeat([[0.0], [1.0]], MOON, 0), [2, 1])
DOMAINS = tf.repeat([[0.0], [1.0]], 2 * MOON, 0)


@tf.custom_gradient
def flip_gradient(x, scale):
    return tf.identity(x), lambda upstream: (-scale * upstream, None)


def moons():
    turn = math.pi * tf.random.uniform([2, MOON])
    upper = tf.stack([tf.cos(turn[0]), tf.sin(turn[0])], 1)
    lower = tf.stack([1 - tf.cos(turn[1]), 0.5 - tf.sin(turn[1])], 1)
    return tf.concat([upper, lower], 0) + 0.05 * tf.random.normal([2 * MOON, 2])


def layers(*widths, activation):
    """Dense layers, the last one linear if it has one unit; uniform within ±1/√inputs."""
    found = []
    for inputs, outputs in pairwise(widths):
        draw = tf.keras.initializers.RandomUniform(-(inputs**-0.5), inputs**-0.5)
        shape = activation if outputs > 1 else None
        found.append(
            tf.keras.layers.Dense(outputs, shape, kernel_initializer=draw, bias_initializer=draw)
        )
    return tf.keras.Sequential([tf.keras.Input([widths[0]]), *found])


source, target = moons(), moons()
middle, angle = tf.reduce_mean(source, 0), math.radians(35)
turn = [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
x = tf.concat([2 * (source - middle), 2 * (target - middle) @ turn], 0)
extractor = layers(2, 32, 32, activation="tanh")
label_head = layers(32, 1, activation=None)
domain_head = layers(32, 32, 1, activation="relu")
weights = [w for part in (extractor, label_head, domain_head) for w in part.trainable_variables]
adam = tf.keras.optimizers.Adam(epsilon=1e-8)
entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)


def domain_loss(features, scale):
    return entropy(DOMAINS, domain_head(flip_gradient(features, scale)))


@tf.function
def step(scale):
    with tf.GradientTape() as tape:
        features = extractor(x)
        label_loss = entropy(LABELS[: 2 * MOON], label_head(features[: 2 * MOON]))
        loss = label_loss + domain_loss(features, scale)
    adam.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))


for done in range(STEPS):
    p = done / STEPS
    adam.learning_rate.assign(0.02 / (1 + 10 * p) ** 0.75)
    step(tf.constant(2 / (1 + math.exp(-10 * p)) - 1, tf.float32))


def accuracy(logit, target):
    return float(tf.reduce_mean(tf.cast((logit > 0) == (target > 0.5), tf.float32)))


trained = {
    "trick_target": accuracy(label_head(extractor(x))[2 * MOON :], LABELS[2 * MOON :]),
    "trick_domain": accuracy(domain_head(extractor(x)), DOMAINS),
}


def spread(first, *shape):
    """Numbers that follow a formula: what multiples of the golden ratio have behind the point."""
    multiples = tf.range(first, first + math.prod(shape), dtype=tf.float64)
    return tf.reshape(2 * (multiples * (math.sqrt(5) - 1) / 2 % 1) - 1, shape)


# One target point by itself: what a small domain head of fixed numbers tells its features.
features, inner, outer = spread(1, 8), spread(9, 6, 8), spread(57, 6)
with tf.GradientTape() as tape:
    tape.watch(features)
    flipped = flip_gradient(features, tf.constant(1.0, tf.float64))
    logit = tf.tensordot(outer, tf.nn.relu(tf.linalg.matvec(inner, flipped)), 1)
    loss = tf.nn.softplus(logit) - logit
gradient = tape.gradient(loss, features)
result = {"forward": features.numpy().tolist(), "trick_gradient": gradient.numpy().tolist()}
print(json.dumps({**result, "trained": trained}))
