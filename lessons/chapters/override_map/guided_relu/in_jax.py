"""Guided gradients of a small convolutional network, trained on shapes, a few seeds. JAX.

A relu with a rule of its own takes the place of jax.nn.relu: nothing in JAX goes by op type. JAX
draws other random numbers than torch, so compare means over the seeds, not digits.
"""

import json

import jax
import jax.numpy as jnp

SIDE, BATCH, STEPS, SEEDS = 21, 32, 400, 3


@jax.custom_vjp
def guided_relu(x):
    return jax.nn.relu(x)


guided_relu.defvjp(
    lambda x: (jax.nn.relu(x), x > 0),
    lambda active, upstream: (jnp.maximum(upstream, 0) * active,),
)


def pictures(key, count):
    """Triangles, circles and crosses in turn, in noise; [count, SIDE, SIDE, 1]."""
    draw_key, noise_key = jax.random.split(key)
    turn, size, right, down = jax.random.uniform(draw_key, (4, count, 1, 1))
    turn, size = 2 * jnp.pi * turn, 0.5 + 0.17 * size
    marks = (jnp.arange(SIDE) + 0.5) * 2 / SIDE - 1
    x, y = marks - 0.4 * (right - 0.5), marks[:, None] - 0.4 * (down - 0.5)
    x, y = jnp.cos(turn) * x + jnp.sin(turn) * y, jnp.cos(turn) * y - jnp.sin(turn) * x
    triangle = jnp.maximum(3**0.5 / 2 * abs(x) + y / 2, -y) - 0.62 * size
    circle = jnp.hypot(x, y) - size
    wide, long = 0.33 * size, 1.15 * size
    upright = jnp.maximum(abs(x) - wide, abs(y) - long)
    cross = jnp.minimum(upright, jnp.maximum(abs(y) - wide, abs(x) - long))
    kind = jnp.arange(count)[:, None, None] % 3
    outside = jnp.select([kind == 0, kind == 1], [triangle, circle], cross)
    noise = jax.random.uniform(noise_key, outside.shape, minval=-1) * 0.25 * 3**0.5
    return (jax.nn.sigmoid(-4 * SIDE / 1.5 * outside) + noise)[..., None]


def start(key):
    shapes = [(5, 5, 1, 8), (3, 3, 8, 16), (256, 32), (32, 3)]
    weights = []
    for part, shape in zip(jax.random.split(key, 4), shapes, strict=True):
        bound = (jnp.prod(jnp.array(shape)) / shape[-1]) ** -0.5
        one, other = jax.random.split(part)
        weights.append(
            (
                jax.random.uniform(one, shape, minval=-bound, maxval=bound),
                jax.random.uniform(other, shape[-1:], minval=-bound, maxval=bound),
            )
        )
    return weights


def logits(weights, x, relu):
    for weight, bias in weights[:2]:
        x = jax.lax.conv_general_dilated(
            x, weight, (2, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        x = relu(x + bias)
    (w3, b3), (w4, b4) = weights[2:]
    return relu(x.reshape(len(x), -1) @ w3 + b3) @ w4 + b4


def loss(weights, x):
    log_p = jax.nn.log_softmax(logits(weights, x, jax.nn.relu))
    return -log_p[jnp.arange(len(x)), jnp.arange(len(x)) % 3].mean()


@jax.jit
def step(state, key, done):
    """One update by Adam, on new pictures."""
    weights, first, second = state
    gradient = jax.grad(loss)(weights, pictures(jax.random.fold_in(key, done), BATCH))
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)

    def adam(weight, m, v):
        m, v = m / (1 - 0.9 ** (done + 1)), v / (1 - 0.999 ** (done + 1))
        return weight - 0.01 * m / (jnp.sqrt(v) + 1e-8)

    return jax.tree.map(adam, weights, first, second), first, second


def train(key):
    weights = start(key)
    zeros = jax.tree.map(jnp.zeros_like, weights)
    state = weights, zeros, zeros
    for done in range(STEPS):
        state = step(state, key, done)
    return state[0]


def maps(weights, x, relu):
    """The gradient of each picture's own score in its pixels, [count, SIDE · SIDE]."""
    own = jnp.arange(len(x)), jnp.arange(len(x)) % 3
    gradient = jax.grad(lambda x: logits(weights, x, relu)[own].sum())(x)
    return gradient.reshape(len(x), -1)


def alike(weights, fresh, x, relu):
    """Rank correlation of the maps before and after the last layer is drawn anew, their mean."""
    ranks = [
        jnp.argsort(jnp.argsort(maps(one, x, relu))).astype(float)
        for one in (weights, [*weights[:3], fresh[3]])
    ]
    return jax.vmap(lambda a, b: jnp.corrcoef(a, b)[0, 1])(*ranks).mean()


keys = jax.random.split(jax.random.key(0), SEEDS)
weights = [train(key) for key in keys]
fresh = [start(key) for key in jax.random.split(jax.random.key(1), SEEDS)]
tested = pictures(jax.random.key(2), 150)
right = [logits(one, tested, jax.nn.relu).argmax(1) == jnp.arange(150) % 3 for one in weights]
trained = {"accuracy": float(jnp.mean(jnp.array(right)))}
for name, relu in {"plain": jax.nn.relu, "guided": guided_relu}.items():
    pairs = zip(weights, fresh, strict=True)
    each = [alike(one, other, tested[:9], relu) for one, other in pairs]
    trained[f"{name}_1"] = float(jnp.mean(jnp.array(each)))

# The eight relus: the rule by itself.
x = jnp.array([-2, -1, 1, 2, -1.5, -0.5, 0.5, 1.5])
behind = jnp.array([1, 0.5, 1.5, 1, -1, -0.5, -1.5, -1])
y, back = jax.vjp(guided_relu, x)
_, plainly_back = jax.vjp(jax.nn.relu, x)
print(
    json.dumps(
        {
            "forward": y.tolist(),
            "trick_gradient": back(behind)[0].tolist(),
            "true_gradient": plainly_back(behind)[0].tolist(),
            "trained": trained,
        }
    )
)
