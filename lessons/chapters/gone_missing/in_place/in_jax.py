"""An array that is changed after it was read. In JAX, where a change makes a new array."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def in_place(x):
    y = jnp.exp(x)
    z = y * y
    y = y.at[:].add(1.0)  # a new array: what z was computed from stays as it was
    return z


x = jnp.array([2.0, 0.5, -1.0])
z, pull_back = jax.vjp(in_place, x)
(gradient,) = pull_back(jnp.ones_like(z))
try:
    jnp.exp(x)[0] = 1.0
    raised = "nothing"
except TypeError as error:
    raised = type(error).__name__
print(json.dumps({"forward": z.tolist(), "trick_gradient": gradient.tolist(), "raised": raised}))
