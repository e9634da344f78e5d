"""A gradient reversal beside a plain path: backward -scale times the upstream. In JAX."""

import json
from functools import partial

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def flip_gradient(x, scale):
    return x


def forward(x, scale):
    return x, None


def backward(scale, _, upstream):
    return (-scale * upstream,)


flip_gradient.defvjp(forward, backward)


def flip(x, scale, beside):
    return flip_gradient(x, scale) ** 3 + beside * x


x = jnp.array([-1.5, -0.5, 1.0])
y, pull_back = jax.vjp(lambda x: flip(x, 2.0, 2.0), x)
(gradient,) = pull_back(jnp.ones_like(y))
print(json.dumps({"forward": y.tolist(), "trick_gradient": gradient.tolist()}))
