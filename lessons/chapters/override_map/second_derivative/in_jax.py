"""A rule on an identity and one on a square, differentiated once and twice. In JAX.

A second derivative differentiates what the forward rule calls: to meet the gradient rule again, as
it does in torch and TensorFlow, the forward rule has to call the function itself.
"""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.custom_vjp
def identity(x):
    return x


@jax.custom_vjp
def square(x):
    return x**2


@jax.custom_vjp
def identity_once(x):
    return x


identity.defvjp(lambda x: (identity(x), None), lambda _, upstream: (10.0 * upstream,))
identity_once.defvjp(lambda x: (x, None), lambda _, upstream: (10.0 * upstream,))
square.defvjp(lambda x: (x**2, x), lambda x, upstream: (3.0 * x * upstream,))


def cube(x):
    return identity(x) ** 3


def cube_once(x):
    return identity_once(x) ** 3


x = jnp.array([-2.0, 1.0, 2.0])
found = {
    "forward": cube(x),
    "trick_gradient": jax.vmap(jax.grad(cube))(x),
    "identity_second": jax.vmap(jax.grad(jax.grad(cube)))(x),
    "once": jax.vmap(jax.grad(jax.grad(cube_once)))(x),
    "square_first": jax.vmap(jax.grad(square))(x),
    "square_second": jax.vmap(jax.grad(jax.grad(square)))(x),
}
print(json.dumps({name: value.tolist() for name, value in found.items()}))
