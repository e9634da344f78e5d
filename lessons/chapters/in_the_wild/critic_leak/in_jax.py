"""One visit's loss of an actor and its critic. In JAX.

jax.grad differentiates by the arguments that one names, so the actor's loss taken by the logit
alone leaves the critic be. In one loss for both, the stop belongs where torch has its detach.
"""

import json

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def actor_loss(v, logit, reward, stop):
    advantage = reward - v
    if stop:
        advantage = jax.lax.stop_gradient(advantage)
    return -jax.nn.log_sigmoid(logit) * advantage


def loss(v, logit, reward, weight, stop):
    return actor_loss(v, logit, reward, stop) + weight * (reward - v) ** 2 / 2


v, logit = jnp.array(0.5, jnp.float64), jnp.array(0.0, jnp.float64)
both = jax.value_and_grad(loss, argnums=(0, 1))
value, leaked = both(v, logit, 1.0, 1.0, stop=False)
_, stopped = both(v, logit, 1.0, 1.0, stop=True)
(alone,) = jax.grad(actor_loss, argnums=(1,))(v, logit, 1.0, stop=False)  # no critic in sight
assert float(alone) == float(stopped[1])
print(
    json.dumps(
        {
            "forward": [float(value)],
            "trick_gradient": [float(one) for one in leaked],
            "intended_gradient": [float(one) for one in stopped],
        }
    )
)
