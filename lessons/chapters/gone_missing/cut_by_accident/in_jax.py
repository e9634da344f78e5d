"""A loss that is made a number. In JAX, where grad() raises an error and no flag silences it."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def loss(w):
    return ((w * 2.0 - 3.0) ** 2).sum()


def as_a_number(w):
    return jnp.asarray(float(loss(w)))  # what .item() is in torch


w = jnp.array([1.0, 0.5])
value, gradient = jax.value_and_grad(loss)(w)
try:
    jax.grad(as_a_number)(w)
    raised = "nothing"
except jax.errors.ConcretizationTypeError as error:
    raised = type(error).__name__
stopped = jax.grad(lambda w: jax.lax.stop_gradient(loss(w)))(w)  # zeros, and no error
print(
    json.dumps(
        {
            "forward": [float(value)],
            "trick_gradient": gradient.tolist(),
            "raised": raised,
            "stopped": stopped.tolist(),
        }
    )
)
