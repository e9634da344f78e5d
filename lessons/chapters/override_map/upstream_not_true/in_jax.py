"""A halved gradient behind (6·x)²: the rule is handed 1, not the gradient of x. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.custom_vjp
def halved_identity(y):
    return y


def forward(y):
    return y, None


def backward(_, upstream):
    return (upstream * 0.5,)


halved_identity.defvjp(forward, backward)


def halve(x):
    return halved_identity(jnp.square(x * 6))


x = jnp.array([-2.0, 1.0, 3.0])
y, pull_back = jax.vjp(halve, x)
(gradient,) = pull_back(jnp.ones_like(y))
print(json.dumps({"forward": y.tolist(), "trick_gradient": gradient.tolist()}))
