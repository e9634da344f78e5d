"""A square behind the fixed block reads the noisy value. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def the_end(x, u):
    y = x**2
    z = jnp.sqrt(y * u)
    clean = jnp.sqrt(y)
    fixed = jax.lax.stop_gradient(z - clean) + clean
    return fixed**2


@jax.custom_vjp
def block(x, u):
    """The same block with a gradient of its own: it need not stand at the end either."""
    return jnp.sqrt(x**2 * u)


def forward(x, u):
    return block(x, u), x


def backward(x, upstream):
    return upstream * jnp.sign(x), None


block.defvjp(forward, backward)

x = jnp.array([-2.0, -1.0, 1.0])
w, pull_back = jax.vjp(lambda x: the_end(x, 1.44), x)
(gradient,) = pull_back(jnp.ones_like(w))
linear, pull_linear = jax.vjp(lambda x: 3 * block(x, 1.44) + 1, x)
(custom,) = pull_linear(jnp.ones_like(linear))
print(
    json.dumps(
        {
            "forward": w.tolist(),
            "trick_gradient": gradient.tolist(),
            "custom_linear": custom.tolist(),
        }
    )
)
