"""Softmax and squared error, as a wrong answer's logit grows. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def starved(x, right):
    p = jax.nn.softmax(jnp.stack([x, jnp.full_like(x, right)], axis=-1))
    return p[:, 0] ** 2 + (1 - p[:, 1]) ** 2


x = jnp.array([-2.0, 0.7, 4.0, 8.0])
loss, pull_back = jax.vjp(lambda x: starved(x, 0.0), x)
(gradient,) = pull_back(jnp.ones_like(loss))
print(json.dumps({"forward": loss.tolist(), "trick_gradient": gradient.tolist()}))
