"""No trick: the noise is a factor in the gradient. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def noise_leaks(x, u):
    y = x**2
    yu = y * u
    return jnp.sqrt(yu)


x = jnp.array([-2.0, -1.0, 1.0])
u = jnp.array([1.04, 0.94, 1.08])
z, pull_back = jax.vjp(lambda x: noise_leaks(x, u), x)
(gradient,) = pull_back(jnp.ones_like(z))
print(json.dumps({"forward": z.tolist(), "trick_gradient": gradient.tolist()}))
