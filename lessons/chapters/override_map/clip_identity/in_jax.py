"""An identity whose gradient is clipped, its value used twice. In JAX."""

import json
from functools import partial

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def clipped_identity(x, limit):
    return x


def forward(x, limit):
    return x, None


def backward(limit, _, upstream):
    return (jnp.clip(upstream, -limit, limit),)


clipped_identity.defvjp(forward, backward)


def clip_identity(x, limit, factor):
    y = factor * clipped_identity(x, limit)
    return y + y


x = jnp.array([-2.0, 1.0, 3.0])
y, pull_back = jax.vjp(lambda x: clip_identity(x, 1.0, 3.0), x)
(gradient,) = pull_back(jnp.ones_like(y))
print(json.dumps({"forward": y.tolist(), "trick_gradient": gradient.tolist()}))
