"""A policy loss with a weight of value 1: it carries only the gradient. In JAX."""

import json

import jax
import jax.numpy as jnp
from jax.lax import stop_gradient

jax.config.update("jax_enable_x64", True)

advantages = jnp.array([1.0, -0.5, -0.5])


def added(x):
    logp = jax.nn.log_sigmoid(x)
    return -jnp.exp(logp - stop_gradient(logp)) * advantages


x = jnp.array([-1.0, 0.5, 2.0])
print(
    json.dumps(
        {
            "forward": added(x).tolist(),
            "trick_gradient": jax.grad(lambda x: added(x).sum())(x).tolist(),
            "intended_gradient": (-advantages * jax.nn.sigmoid(-x)).tolist(),
        }
    )
)
