"""A halved gradient by a wrapped function: JAX has neither op names nor a map of types."""

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


def type_not_name(x):
    product = x * 6
    return halved_identity(jnp.square(product))


x = jnp.array([-2.0, 1.0, 3.0])
y, pull_back = jax.vjp(type_not_name, x)
(gradient,) = pull_back(jnp.ones_like(y))
print(json.dumps({"forward": y.tolist(), "trick_gradient": gradient.tolist()}))
