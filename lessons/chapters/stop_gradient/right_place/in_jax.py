"""stop_gradient around the whole block: value noisy, gradient clean. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def right_place(x, u):
    y = x**2
    z = jnp.sqrt(y * u)
    clean = jnp.sqrt(y)
    return jax.lax.stop_gradient(z - clean) + clean


x = jnp.array([-2.0, -1.0, 1.0])
u = jnp.array([1.04, 0.94, 1.08])
z, pull_back = jax.vjp(lambda x: right_place(x, u), x)
(gradient,) = pull_back(jnp.ones_like(z))
print(json.dumps({"forward": z.tolist(), "trick_gradient": gradient.tolist()}))
