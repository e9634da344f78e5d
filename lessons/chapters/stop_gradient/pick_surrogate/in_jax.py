"""The value of sign, the gradient of tanh. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def surrogate(x, f, g):
    soft = g(x)
    return soft + jax.lax.stop_gradient(f(x) - soft)


x = jnp.array([-2.0, -0.1, 0.4])
y, pull_back = jax.vjp(lambda x: surrogate(x, jnp.sign, jnp.tanh), x)
(gradient,) = pull_back(jnp.ones_like(y))
print(json.dumps({"forward": y.tolist(), "trick_gradient": gradient.tolist()}))
