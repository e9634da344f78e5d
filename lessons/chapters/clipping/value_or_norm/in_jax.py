"""One gradient clipped by value and by norm. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def loss(w):
    return jnp.sum(w**2) / 2


def by_value(gradient, limit):
    return jnp.clip(gradient, -limit, limit)


def by_norm(gradient, limit):
    norm = jnp.linalg.norm(gradient)
    return jnp.where(norm <= limit, gradient, gradient * limit / norm)


w = jnp.array([3.0, 1.0])
gradient = jax.grad(loss)(w)
print(
    json.dumps(
        {
            "forward": w.tolist(),
            "trick_gradient": by_value(gradient, 1.5).tolist(),
            "intended_gradient": by_norm(gradient, 1.5).tolist(),
        }
    )
)
