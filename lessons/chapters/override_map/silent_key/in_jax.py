"""A sign that passes its gradient on: no key, so none to misspell. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.custom_vjp
def sign(x):
    return jnp.sign(x)


sign.defvjp(lambda x: (jnp.sign(x), None), lambda _, upstream: (upstream,))

x = jnp.array([-2.0, 1.0, 2.5])
y, pull_back = jax.vjp(lambda x: sign(jnp.sin(x)), x)
(gradient,) = pull_back(jnp.ones_like(y))
print(json.dumps({"forward": y.tolist(), "trick_gradient": gradient.tolist()}))
