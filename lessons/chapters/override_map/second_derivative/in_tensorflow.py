"""A rule on an identity, differentiated once and twice. In TensorFlow 2."""

import json

import tensorflow as tf


@tf.custom_gradient
def identity(x):
    return tf.identity(x), lambda upstream: 10.0 * upstream


@tf.custom_gradient
def square(x):
    return tf.square(x), lambda upstream: 3.0 * x * upstream


def both(function, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        first = inner.gradient(y, x)
    return y, first, outer.gradient(first, x)


x = tf.constant([-2.0, 1.0, 2.0], tf.float64)
y, first, second = both(lambda x: identity(x) ** 3, x)
_, square_first, square_second = both(square, x)
found = {
    "forward": y,
    "trick_gradient": first,
    "identity_second": second,
    "square_first": square_first,
    "square_second": square_second,
}
print(json.dumps({name: value.numpy().tolist() for name, value in found.items()}))
