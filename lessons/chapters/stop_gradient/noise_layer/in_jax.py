"""Noisy forward and clean backward in a long network, 8 seeds at once by vmap. In JAX.

JAX draws other random numbers than torch, so compare means over the seeds, not digits.
"""

import json
import math
from functools import partial
from itertools import pairwise

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

STEPS, PLACE, STRENGTH, SEEDS, DRAWS = 400, 4, 0.9, 8, 32
WIDTHS = [1, *[16] * 9, 1]


def noise_layer(x, unit, strength=STRENGTH, clean_backward=True):
    """``unit`` is uniform in [0, 1); without noise leave the layer out."""
    noisy = x * (1 + strength * (2 * unit - 1))
    return x + jax.lax.stop_gradient(noisy - x) if clean_backward else noisy


def start(key):
    """Weight and bias of each layer."""
    layers = []
    keys = jax.random.split(key, 10)
    for one, (inputs, outputs) in zip(keys, pairwise(WIDTHS), strict=True):
        bound = 1.7 / math.sqrt(inputs)
        numbers = jax.random.uniform(one, (inputs + 1, outputs), minval=-bound, maxval=bound)
        layers.append((numbers[:-1], numbers[-1]))
    return layers


x = jnp.linspace(-3, 3, 64)[:, None]
target = jnp.sin(2 * x)


def loss(layers, key, clean_backward):
    """Of one draw of the noise."""
    h = x
    for number, (weight, bias) in enumerate(layers, start=1):
        h = h @ weight + bias
        if number < len(layers):
            h = jnp.tanh(h)
        if number == PLACE:
            unit = jax.random.uniform(key, h.shape)
            h = noise_layer(h, unit, clean_backward=clean_backward)
    return ((h - target) ** 2).mean()


def relative_variance(layers, key, clean_backward):
    """Of each layer's weight gradient: variance over the draws, over the squared mean."""
    keys = jax.random.split(key, DRAWS)
    gradients = jax.vmap(jax.grad(loss), (None, 0, None))(layers, keys, clean_backward)
    weights = [weight.reshape(DRAWS, -1) for weight, _ in gradients]
    return jnp.array([w.var(0, ddof=1).sum() / (w.mean(0) ** 2).sum() for w in weights])


@partial(jax.jit, static_argnums=1)
@partial(jax.vmap, in_axes=(0, None))
def train(key, clean_backward):
    """Relative variances before the first step, and the noisy loss after the last."""
    start_key, measure_key, key = jax.random.split(key, 3)
    layers = start(start_key)
    variance = relative_variance(layers, measure_key, clean_backward)

    def step(state, done):
        layers, first, second, key = state
        key, now = jax.random.split(key)
        gradient = jax.grad(loss)(layers, now, clean_backward)
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)

        def adam(weight, m, v):
            m, v = m / (1 - 0.9 ** (done + 1)), v / (1 - 0.999 ** (done + 1))
            return weight - 0.003 * m / (jnp.sqrt(v) + 1e-8)

        return (jax.tree.map(adam, layers, first, second), first, second, key), None

    zeros = jax.tree.map(jnp.zeros_like, layers)
    (layers, _, _, key), _ = jax.lax.scan(step, (layers, zeros, zeros, key), jnp.arange(STEPS))
    return variance, loss(layers, key, clean_backward)


seeds = jax.random.split(jax.random.key(0), SEEDS)
variance, trained = {}, {}
for name, clean_backward in {"trick": True, "plain": False}.items():
    by_layer, last = train(seeds, clean_backward)
    variance[name] = by_layer.mean(0).tolist()
    trained[f"{name}_loss"] = float(last.mean())

# The layer by itself, a tanh behind it, at noise that follows a formula.
alone = jnp.linspace(-2, 2, 17)
fixed = jnp.arange(1, 18) * (math.sqrt(5) - 1) / 2 % 1
gradient = jax.grad(lambda x: jnp.tanh(noise_layer(x, fixed)).sum())(alone)
print(
    json.dumps(
        {
            "forward": noise_layer(alone, fixed).tolist(),
            "trick_gradient": gradient.tolist(),
            "variance": variance,
            "trained": trained,
        }
    )
)
