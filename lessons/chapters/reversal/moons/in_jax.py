"""Domain-adversarial training of the twin moons, 20 seeds at once by vmap. In JAX.

JAX draws other random numbers than torch, so compare means over the seeds, not digits.
"""

import json
import math

import jax
import jax.numpy as jnp

STEPS, MOON = 1000, 150
LABELS = jnp.tile(jnp.repeat(jnp.array([0.0, 1.0]), MOON), 2)
DOMAINS = jnp.repeat(jnp.array([0.0, 1.0]), 2 * MOON)


@jax.custom_vjp
def flip_gradient(x, scale):
    return x


flip_gradient.defvjp(
    lambda x, scale: (x, scale),
    lambda scale, upstream: (-scale * upstream, jnp.zeros_like(scale)),
)


def moons(key):
    turn_key, noise_key = jax.random.split(key)
    turn = jnp.pi * jax.random.uniform(turn_key, (2, MOON))
    upper = jnp.stack([jnp.cos(turn[0]), jnp.sin(turn[0])], 1)
    lower = jnp.stack([1 - jnp.cos(turn[1]), 0.5 - jnp.sin(turn[1])], 1)
    both = jnp.concatenate([upper, lower])
    return both + 0.05 * jax.random.normal(noise_key, both.shape)


def start(key):
    """The points of one seed, the target turned by 35 degrees, and its weights."""
    source_key, target_key, *keys = jax.random.split(key, 7)
    source, target = moons(source_key), moons(target_key)
    middle, angle = source.mean(0), jnp.deg2rad(35.0)
    turn = jnp.array([[jnp.cos(angle), -jnp.sin(angle)], [jnp.sin(angle), jnp.cos(angle)]])
    x = jnp.concatenate([2 * (source - middle), 2 * (target - middle) @ turn.T])

    def layer(key, inputs, outputs):
        bound = inputs**-0.5
        numbers = jax.random.uniform(key, (inputs + 1, outputs), minval=-bound, maxval=bound)
        return numbers[:-1], numbers[-1]

    sizes = [(2, 32), (32, 32), (32, 1), (32, 32), (32, 1)]
    return x, [layer(key, *size) for key, size in zip(keys, sizes, strict=True)]


def logits(weights, x, scale):
    """Of the label and of the domain, for every point."""
    (w1, b1), (w2, b2), (w3, b3), (w4, b4), (w5, b5) = weights
    features = jnp.tanh(jnp.tanh(x @ w1 + b1) @ w2 + b2)
    hidden = jax.nn.relu(flip_gradient(features, scale) @ w4 + b4)
    return (features @ w3 + b3)[:, 0], (hidden @ w5 + b5)[:, 0]


def cross_entropy(logit, target):
    return (jax.nn.softplus(logit) - target * logit).mean()


def adversarial(weights, x, scale):
    label, domain = logits(weights, x, scale)
    source = slice(2 * MOON)
    return cross_entropy(label[source], LABELS[source]) + cross_entropy(domain, DOMAINS)


def train(key, full_scale):
    """Accuracy on the target, and of the domain head, after the last step."""
    x, weights = start(key)
    zeros = jax.tree.map(jnp.zeros_like, weights)

    def step(state, done):
        weights, first, second = state
        p = done / STEPS
        rate = 0.02 / (1 + 10 * p) ** 0.75
        scale = full_scale * (2 / (1 + jnp.exp(-10 * p)) - 1)
        gradient = jax.grad(adversarial)(weights, x, scale)
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)

        def adam(weight, m, v):
            m, v = m / (1 - 0.9 ** (done + 1)), v / (1 - 0.999 ** (done + 1))
            return weight - rate * m / (jnp.sqrt(v) + 1e-8)

        return (jax.tree.map(adam, weights, first, second), first, second), None

    (weights, _, _), _ = jax.lax.scan(step, (weights, zeros, zeros), jnp.arange(STEPS))
    label, domain = logits(weights, x, 0.0)
    right = ((label > 0) == (LABELS > 0.5))[2 * MOON :].mean()
    return right, ((domain > 0) == (DOMAINS > 0.5)).mean()


keys = jax.random.split(jax.random.key(0), 20)
run = jax.jit(jax.vmap(train, (0, None)))
trained = {}
for name, full_scale in {"trick": 1.0, "source_only": 0.0}.items():
    target, domain = run(keys, full_scale)
    trained[f"{name}_target"], trained[f"{name}_domain"] = (
        float(target.mean()),
        float(domain.mean()),
    )


def spread(first, *shape):
    """Numbers that follow a formula: what multiples of the golden ratio have behind the point."""
    multiples = jnp.arange(first, first + math.prod(shape))
    return (2 * (multiples * (math.sqrt(5) - 1) / 2 % 1) - 1).reshape(shape)


# One target point by itself: what a small domain head of fixed numbers tells its features.
features, inner, outer = spread(1, 8), spread(9, 6, 8), spread(57, 6)


def domain_loss(features, scale):
    hidden = jax.nn.relu(inner @ flip_gradient(features, scale))
    return cross_entropy(outer @ hidden, 1.0)


print(
    json.dumps(
        {
            "forward": features.tolist(),
            "trick_gradient": jax.grad(domain_loss)(features, 1.0).tolist(),
            "trained": trained,
        }
    )
)
