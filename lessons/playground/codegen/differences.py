"""Where TensorFlow or JAX gives another gradient than torch for the same program, op by op.

Each is proven by a run that is kept: tests/playground/equivalents.py.
"""

from collections.abc import Collection

from lessons.playground.codegen.words import WORDS

DIFFERENCES: dict[str, dict[str, str]] = {
    "torch": {},
    "tensorflow": {
        "maximum": WORDS("tie", function="tf.maximum"),
        "minimum": WORDS("tie", function="tf.minimum"),
        "topk": WORDS("equal_entries", function="tf.math.top_k"),
        "round": WORDS("none_for_zero", function="tf.round"),
        "floor": WORDS("none_for_zero", function="tf.floor"),
        "ceil": WORDS("none_for_zero", function="tf.math.ceil"),
    },
    "jax": {
        "abs": WORDS("abs_at_zero"),
        "topk": WORDS("equal_entries", function="jax.lax.top_k"),
        "stop_gradient": WORDS("zeros_for_none"),
    },
}
"""Framework → op type → one sentence."""


def differences(op_types: Collection[str], framework: str) -> list[str]:
    """The sentences that concern a program of these ops.

    >>> differences({"add", "floor"}, "tensorflow")
    ['TensorFlow has no gradient for tf.floor: None, where torch has 0.']
    """
    return [text for op, text in DIFFERENCES[framework].items() if op in op_types]
