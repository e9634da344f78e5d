"""One recurrent unit over 50 steps: its gradient at one start, then clipped descent. In JAX."""

import json
from functools import partial

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
RATE, LIMIT, UPDATES = 1.0, 0.3, 300


def error(weights):
    w, b = weights
    x = jax.lax.fori_loop(0, 50, lambda _, x: w * jax.nn.sigmoid(x) + b, 0.5)
    return (jax.nn.sigmoid(x) - 0.7) ** 2


def by_value(gradient):
    return jnp.clip(gradient, -LIMIT, LIMIT)


def by_norm(gradient):
    return gradient * jnp.minimum(1.0, LIMIT / jnp.linalg.norm(gradient))


def inside(place):
    low, high = jnp.array([3.0, -3.5]), jnp.array([7.0, -1.5])
    return ((place >= low) & (place <= high)).all()


def descend(start, clip):
    """Whether one start ends in the valley without ever leaving the window."""

    def update(state, _):
        place, stayed = state
        place = place - RATE * clip(jax.grad(error)(place))
        return (place, stayed & inside(place)), None

    (place, stayed), _ = jax.lax.scan(update, (start, True), None, UPDATES)
    return stayed & (error(place) < 1e-3)


start = jnp.array([4.3, -2.2])
value, gradient = jax.value_and_grad(error)(start)
# One start in each cell of a grid of 15 by 15; JAX draws other random numbers than torch.
cells = jnp.stack(jnp.meshgrid(jnp.arange(15), jnp.arange(15)), -1).reshape(-1, 2)
within = jax.random.uniform(jax.random.key(0), (5, 225, 2))
starts = jnp.array([3.0, -3.5]) + jnp.array([4.0, 2.0]) * (cells + within) / 15
trained = {}
for name, clip in {"none": lambda gradient: gradient, "value": by_value, "norm": by_norm}.items():
    each = jax.jit(jax.vmap(jax.vmap(partial(descend, clip=clip))))
    trained[f"{name}_stayed"] = float(each(starts).mean())

print(
    json.dumps(
        {
            "forward": start.tolist(),
            "error": float(value),
            "trick_gradient": by_value(gradient).tolist(),
            "true_gradient": gradient.tolist(),
            "intended_gradient": by_norm(gradient).tolist(),
            "trained": trained,
        }
    )
)
