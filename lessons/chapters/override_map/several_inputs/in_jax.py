"""A rule for a product of two inputs: one gradient for each, in their order. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.custom_vjp
def mul(w, i):
    return w * i


def forward(w, i):
    return w * i, (w, i)


def backward(inputs, upstream):
    return upstream * inputs[1], None


mul.defvjp(forward, backward)

w, i = jnp.array([-1.0, 0.013, 2.0]), jnp.full(3, 10.0)
y, pull_back = jax.vjp(mul, w, i)
gradient, of_input = pull_back(jnp.ones_like(y))  # JAX makes zeros of the None
print(json.dumps({"forward": y.tolist(), "trick_gradient": gradient.tolist()}))
