"""Extractor and domain classifier with a reversal between them. In JAX."""

import json
from functools import partial

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def flip_gradient(x, scale):
    return x


flip_gradient.defvjp(lambda x, scale: (x, None), lambda scale, _, upstream: (-scale * upstream,))


def two_players(weights, x, domain, scale):
    w1, w2 = weights
    logit = flip_gradient(x @ w1, scale) @ w2
    return jnp.mean(jax.nn.softplus(logit) - domain * logit)


source = jnp.array([[-0.5, 0.5], [-0.1, -0.6], [0.4, 0.3]]) - jnp.array([0.6, 0.0])
target = jnp.array([[-0.4, -0.3], [0.2, 0.6], [0.5, -0.4]]) + jnp.array([0.6, 0.0])
x, domain = jnp.concatenate([source, target]), jnp.array([0.0, 0, 0, 1, 1, 1])
angle = jnp.deg2rad(20.0)
weights = (jnp.array([[1.0, 0.3], [-0.2, 0.8]]), jnp.array([jnp.cos(angle), jnp.sin(angle)]))
loss, (dw1, dw2) = jax.value_and_grad(two_players)(weights, x, domain, 2.0)
gradient = jnp.concatenate([dw1.ravel(), dw2])
print(json.dumps({"forward": [float(loss)], "trick_gradient": gradient.tolist()}))
