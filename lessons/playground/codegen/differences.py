"""Where TensorFlow or JAX gives another gradient than torch for the same program, op by op.

Each is proven by a run that is kept: tests/playground/equivalents.py.
"""

from collections.abc import Collection

_TIE = "Where both are equal, {} sends the whole gradient to the first; torch sends half to each."
_EQUAL = "Of equal entries {} takes the first; torch may take another, to which the gradient goes."
_NONE = "TensorFlow has no gradient for {}: None, where torch has 0."

DIFFERENCES: dict[str, dict[str, str]] = {
    "torch": {},
    "tensorflow": {
        "maximum": _TIE.format("tf.maximum"),
        "minimum": _TIE.format("tf.minimum"),
        "topk": _EQUAL.format("tf.math.top_k"),
        "round": _NONE.format("tf.round"),
        "floor": _NONE.format("tf.floor"),
        "ceil": _NONE.format("tf.math.ceil"),
    },
    "jax": {
        "abs": "At 0 the gradient of jnp.abs is 1; torch has 0.",
        "topk": _EQUAL.format("jax.lax.top_k"),
        "stop_gradient": "Where torch has None, JAX has zeros.",
    },
}
"""Framework → op type → one sentence."""


def differences(op_types: Collection[str], framework: str) -> list[str]:
    """The sentences that concern a program of these ops.

    >>> differences({"add", "floor"}, "tensorflow")
    ['TensorFlow has no gradient for tf.floor: None, where torch has 0.']
    """
    return [text for op, text in DIFFERENCES[framework].items() if op in op_types]
