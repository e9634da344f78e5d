"""The slope of a root at 0, and what clipping by norm makes of it. In JAX."""

import json
import math

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def plain(values):
    return [float(v) if math.isfinite(v) else str(v) for v in values.tolist()]


def by_norm(gradient, limit):
    return gradient * jnp.minimum(1.0, limit / jnp.linalg.norm(gradient))


w = jnp.array([4.0, 1.0, 0.25, 0.0])
y, pull_back = jax.vjp(jnp.sqrt, w)
(gradient,) = pull_back(jnp.ones_like(y))
clipped = plain(by_norm(gradient, 1.0))
print(
    json.dumps(
        {
            "forward": plain(y),
            "trick_gradient": plain(gradient),
            "inf_norm_first": clipped[0],
            "inf_norm_last": clipped[-1],
        }
    )
)
