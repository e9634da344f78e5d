"""Two reversals, each with its own scale, and no names. In JAX."""

import json
from functools import partial

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def flip(x, scale):
    return x


flip.defvjp(lambda x, scale: (x, None), lambda scale, _, upstream: (-scale * upstream,))


def loss(x):
    return flip(x, 2.0) ** 3 + flip(x, 0.5) ** 2


x = jnp.array([-1.5, -0.5, 1.0])
y, pull_back = jax.vjp(loss, x)
(gradient,) = pull_back(jnp.ones_like(y))
print(json.dumps({"forward": y.tolist(), "trick_gradient": gradient.tolist()}))
