"""stop_gradient on one factor of two: the other way back is left. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def two_passes(x):
    first = jax.lax.stop_gradient(x)
    return first**2 * x


x = jnp.array([-2.0, -1.0, 3.0])
y, pull_back = jax.vjp(two_passes, x)
(gradient,) = pull_back(jnp.ones_like(y))
_, pull_alone = jax.vjp(jax.lax.stop_gradient, x)
(alone,) = pull_alone(jnp.ones_like(x))  # zeros, not None
print(
    json.dumps(
        {
            "forward": y.tolist(),
            "trick_gradient": gradient.tolist(),
            "alone": alone.tolist(),
        }
    )
)
