"""A router for one token: one gate divided by its own sum, and with the divisor stopped. In JAX."""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def router(x, gate):
    logits = jnp.stack([x, jnp.zeros_like(x), jnp.full_like(x, -1.0)], -1)
    v, kept = jax.lax.top_k(jax.nn.softmax(logits, -1), 1)
    total = v.sum(-1, keepdims=True)
    if gate == "stopped":
        total = jax.lax.stop_gradient(total)
    gates = v if gate == "raw" else v / total
    return (gates * jnp.array([2.0, -1.0, 0.5])[kept]).sum(-1)


x = jnp.array([1.0, -0.5, -2.0])
slope = jax.grad(lambda x, gate: router(x, gate).sum())
printed = {
    "forward": router(x, "normalised").tolist(),
    "trick_gradient": slope(x, "normalised").tolist(),
    "raw_1": slope(x, "raw").tolist(),
    "stopped_1": slope(x, "stopped").tolist(),
}
print(json.dumps(printed))
