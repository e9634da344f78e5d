"""A Keras layer, noisy forward and clean backward, in the middle of a long model. TensorFlow 2.

TensorFlow draws other random numbers than torch, so the digits of the training differ. It is one
seed here; the lesson says what many do.
"""

import json
import math

import tensorflow as tf

STEPS, PLACE, LAYERS, WIDTH, DRAWS = 400, 4, 10, 16, 32


@tf.keras.utils.register_keras_serializable("lessons")
class NoiseLayer(tf.keras.layers.Layer):
    """Times u ~ U(1 − s, 1 + s) on the way forward; on the way back as if it were not there."""

    def __init__(self, strength, clean_backward=True, **kwargs):
        super().__init__(**kwargs)
        self.strength, self.clean_backward = strength, clean_backward

    def call(self, x, training=False):
        if not training:
            return x
        u = 1 + self.strength * tf.random.uniform(tf.shape(x), -1, 1, x.dtype)
        noisy = x * u
        return x + tf.stop_gradient(noisy - x) if self.clean_backward else noisy

    def get_config(self):
        own = {"strength": self.strength, "clean_backward": self.clean_backward}
        return super().get_config() | own


def long_model(clean_backward):
    """Ten layers with the noise behind one of them; the same start for every model."""
    start = {"initial": 0}

    def uniform(shape, dtype=None):
        start["initial"] += 1
        bound = 1.7 / math.sqrt(shape[0] if len(shape) > 1 else WIDTH)
        seed = (start["initial"], 0)
        return tf.random.stateless_uniform(shape, seed, -bound, bound, dtype or tf.float32)

    model = tf.keras.Sequential([tf.keras.Input([1])])
    for number in range(1, LAYERS + 1):
        last = number == LAYERS
        model.add(
            tf.keras.layers.Dense(
                1 if last else WIDTH,
                None if last else "tanh",
                kernel_initializer=uniform,
                bias_initializer=uniform,
            )
        )
        if number == PLACE:
            model.add(NoiseLayer(0.9, clean_backward))
    return model


x = tf.linspace(-3.0, 3.0, 64)[:, None]
target = tf.sin(2 * x)


def gradients(model):
    """Of the loss, for one draw of the noise."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - target) ** 2)
    return loss, tape.gradient(loss, model.trainable_variables)


def relative_variance(model):
    """Of each layer's weight gradient: variance over the draws, over the squared mean."""
    draws = zip(*(gradients(model)[1][::2] for _ in range(DRAWS)), strict=True)
    found = []
    for layer in map(tf.stack, draws):
        mean = tf.reduce_mean(layer, 0)
        variance = tf.reduce_sum((layer - mean) ** 2) / (DRAWS - 1)
        found.append(float(variance / tf.reduce_sum(mean**2)))
    return found


variance, trained = {}, {}
for name, clean_backward in {"trick": True, "plain": False}.items():
    tf.random.set_seed(0)
    model = long_model(clean_backward)
    variance[name] = relative_variance(model)
    adam = tf.keras.optimizers.Adam(0.003, epsilon=1e-8)

    @tf.function
    def step(model=model, adam=adam):
        loss, found = gradients(model)
        adam.apply_gradients(zip(found, model.trainable_variables, strict=True))
        return loss

    for _ in range(STEPS):
        loss = step()
    trained[f"{name}_loss"] = float(loss)

# The layer by itself, a tanh behind it, at noise that follows a formula.
x = tf.cast(tf.linspace(-2.0, 2.0, 17), tf.float64)
fixed = tf.range(1, 18, dtype=tf.float64) * (math.sqrt(5) - 1) / 2 % 1
with tf.GradientTape() as tape:
    tape.watch(x)
    noisy = x * (1 + 0.9 * (2 * fixed - 1))
    out = x + tf.stop_gradient(noisy - x)
    y = tf.tanh(out)
gradient = tape.gradient(y, x)
print(
    json.dumps(
        {
            "forward": out.numpy().tolist(),
            "trick_gradient": gradient.numpy().tolist(),
            "variance": variance,
            "trained": trained,
        }
    )
)
