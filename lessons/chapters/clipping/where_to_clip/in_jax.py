"""A training step with its gradients clipped over both weights. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def loss(weights, x):
    w, v = weights
    return (v * (w * x)) ** 2 / 2


def clip_by_global_norm(gradients, limit):
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(gradients)))
    factor = jnp.minimum(1.0, limit / norm)
    return jax.tree.map(lambda g: g * factor, gradients), norm


weights = (1.0, 2.0)
value, gradients = jax.value_and_grad(loss)(weights, 2.0)
clipped, norm = clip_by_global_norm(gradients, 3.0)
weights = jax.tree.map(lambda w, g: w - 0.3 * g, weights, clipped)
print(
    json.dumps(
        {
            "forward": [float(value)],
            "trick_gradient": [float(one) for one in gradients],  # used, if the clip came later
            "intended_gradient": [float(one) for one in clipped],
            "returned": float(norm),
        }
    )
)
