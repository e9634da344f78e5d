"""Domain-adversarial training of the twin moons, one seed, in a graph. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``. TensorFlow draws other random numbers than torch,
so the digits of what is trained differ.
"""

import json
import math
from itertools import pairwise

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(0)
STEPS, MOON = 1000, 150
LABELS = np.tile(np.repeat([[0.0], [1.0]], MOON, 0), [2, 1]).astype("float32")
DOMAINS = np.repeat([[0.0], [1.0]], 2 * MOON, 0).astype("float32")


def flip_gradient(x, scale):
    """An identity under a map, as the article builds it, its rule named after the scale's op."""
    name = f"Flip_{scale.op.name}"
    tf.RegisterGradient(name)(lambda op, upstream: -scale * upstream)
    with tf.get_default_graph().gradient_override_map({"Identity": name}):
        return tf.identity(x)


def moons(draw):
    turn = math.pi * draw.random((2, MOON))
    upper = np.stack([np.cos(turn[0]), np.sin(turn[0])], 1)
    lower = np.stack([1 - np.cos(turn[1]), 0.5 - np.sin(turn[1])], 1)
    return np.concatenate([upper, lower]) + 0.05 * draw.standard_normal((2 * MOON, 2))


def layers(x, *widths, activation=None):
    """Dense layers, the last one linear if it has one unit; uniform within ±1/√inputs."""
    for inputs, outputs in pairwise(widths):
        bound = inputs**-0.5
        weight = tf.Variable(tf.random_uniform([inputs, outputs], -bound, bound))
        bias = tf.Variable(tf.random_uniform([outputs], -bound, bound))
        x = x @ weight + bias
        x = activation(x) if outputs > 1 else x
    return x


def entropy(logits, labels):
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


draw = np.random.default_rng(0)
source, target = moons(draw), moons(draw)
middle, angle = source.mean(0), math.radians(35)
turn = [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
x = np.concatenate([2 * (source - middle), 2 * (target - middle) @ turn]).astype("float32")

rate, scale = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
features = layers(x, 2, 32, 32, activation=tf.tanh)
label = layers(features, 32, 1)
domain = layers(flip_gradient(features, scale), 32, 32, 1, activation=tf.nn.relu)
loss = entropy(label[: 2 * MOON], LABELS[: 2 * MOON]) + entropy(domain, DOMAINS)
step = tf.train.AdamOptimizer(rate).minimize(loss)


def spread(first, *shape):
    """Numbers that follow a formula: what multiples of the golden ratio have behind the point."""
    multiples = np.arange(first, first + math.prod(shape))
    return (2 * (multiples * (math.sqrt(5) - 1) / 2 % 1) - 1).reshape(shape)


# One target point by itself: what a small domain head of fixed numbers tells its features.
point, inner, outer = tf.constant(spread(1, 8)), spread(9, 6, 8), spread(57, 6)
hidden = tf.nn.relu(tf.linalg.matvec(inner, flip_gradient(point, tf.constant(1.0, tf.float64))))
logit = tf.reduce_sum(outer * hidden)
(told,) = tf.gradients(tf.nn.softplus(logit) - logit, [point])

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for done in range(STEPS):
        p = done / STEPS
        now = {rate: 0.02 / (1 + 10 * p) ** 0.75, scale: 2 / (1 + math.exp(-10 * p)) - 1}
        session.run(step, now)
    labels, domains, value, gradient = session.run([label, domain, point, told])


def accuracy(logit, target):
    return float(np.mean((logit > 0) == (target > 0.5)))


trained = {
    "trick_target": accuracy(labels[2 * MOON :], LABELS[2 * MOON :]),
    "trick_domain": accuracy(domains, DOMAINS),
}
result = {"forward": value.tolist(), "trick_gradient": gradient.tolist()}
print(json.dumps({**result, "trained": trained}))
