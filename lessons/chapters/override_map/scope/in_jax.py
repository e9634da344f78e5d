"""A rule for one identity, bound to the function that is called. In JAX.

There is no map: whoever wants another gradient calls another function.
"""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.custom_vjp
def identity(x):
    return x


identity.defvjp(lambda x: (x, None), lambda _, upstream: (10.0 * upstream,))


def once(x):
    return identity(x) ** 2


def three_times(x):
    return identity(identity(identity(x))) ** 2


x = jnp.array([-2.0, 1.0, 3.0])
y, pull_back = jax.vjp(once, x)
(gradient,) = pull_back(jnp.ones_like(y))
(three_ops,) = jax.vjp(three_times, x)[1](jnp.ones_like(y))
print(
    json.dumps(
        {
            "forward": y.tolist(),
            "trick_gradient": gradient.tolist(),
            "three_ops": three_ops.tolist(),
        }
    )
)
