"""A class with a method named backward reverses nothing. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


class Reversal:
    def __call__(self, x):
        return x

    def backward(self, upstream):  # never called; jax.custom_vjp with defvjp would be
        return -2.0 * upstream


def domain_loss(weights, x, domain):
    w1, w2 = weights
    logit = Reversal()(x @ w1) @ w2
    return jnp.mean(jax.nn.softplus(logit) - domain * logit)


x = jnp.array([[-1.1, 0.5], [-0.7, -0.6], [-0.2, 0.3], [0.2, -0.3], [0.8, 0.6], [1.1, -0.4]])
domain = jnp.array([0.0, 0, 0, 1, 1, 1])
angle = jnp.deg2rad(20.0)
weights = (jnp.array([[1.0, 0.3], [-0.2, 0.8]]), jnp.array([jnp.cos(angle), jnp.sin(angle)]))
loss, (dw1, dw2) = jax.value_and_grad(domain_loss)(weights, x, domain)
gradient = jnp.concatenate([dw1.ravel(), dw2])
print(json.dumps({"forward": [float(loss)], "trick_gradient": gradient.tolist()}))
