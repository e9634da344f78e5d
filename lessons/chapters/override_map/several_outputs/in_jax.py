"""A rule for three outputs that multiplies upstream gradients: no gradient. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.custom_vjp
def three_outputs(a, b):
    return a + b, a * b, a - b


def forward(a, b):
    return three_outputs(a, b), (a, b)


def backward(inputs, upstream):
    grad1, grad2, _ = upstream  # one tuple, a gradient for each output
    return grad1 * grad2 * inputs[1], None


three_outputs.defvjp(forward, backward)

a, b = jnp.array([-2.0, 1.0, 2.0]), jnp.full(3, 3.0)
total, pull_back = jax.vjp(lambda a: sum(three_outputs(a, b)), a)
(gradient,) = pull_back(jnp.ones_like(total))
unused = jax.grad(lambda a: sum(three_outputs(a, b)[::2]).sum())(a)
print(
    json.dumps(
        {
            "forward": total.tolist(),
            "trick_gradient": gradient.tolist(),
            "second_unused": unused.tolist(),
        }
    )
)
