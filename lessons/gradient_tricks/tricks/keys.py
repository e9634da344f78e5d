"""Reads gradient_override_map's dict: keys to op types, values to rules. All errors on entry."""

import difflib
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from .builtin_rules import builtin_rule
from .errors import TrickError, describe, listed
from .lookup import NAMES, SPELLINGS, resolve
from .optypes import OP_TYPES
from .registry import Rule, registered_names, registered_rule


def read_map(given: object) -> Iterator[tuple[Any, str, Rule | None]]:
    """Each key, each op type it stands for, and its rule; None for the type's own gradient."""
    if not isinstance(given, Mapping):
        raise TrickError(f"expected a dict {{op type: rule}}, got {describe(given)}.")
    seen: dict[str, Any] = {}
    for key, value in given.items():
        for op_type in _types_of(key):
            if op_type in seen:
                raise TrickError(
                    f"the keys {seen[op_type]!r} and {key!r} both name the op type {op_type}. "
                    "Keep one."
                )
            seen[op_type] = key
            yield key, op_type, None if value is key else _rule_for(value, key, op_type)


def _types_of(key: object) -> tuple[str, ...]:
    unlisted = callable(key) and not isinstance(key, type) and isinstance(key, Hashable)
    if not unlisted or key in SPELLINGS:
        return resolve(key)
    # Not in the table: seen all the same if it follows torch's override protocol.
    name = getattr(key, "__name__", type(key).__name__)
    return (f"{getattr(key, '__module__', None)}.{name}" if name in OP_TYPES else name,)


def _rule_for(value: object, key: object, op_type: str) -> Rule | None:
    """The rule that a value of the dict means; None for the op type's own gradient."""
    if isinstance(value, str):
        rule = registered_rule(value)
        if rule is not None:
            return rule
        if value not in NAMES:
            close = difflib.get_close_matches(value, [*registered_names(), *NAMES], n=3)
            raise TrickError(
                f"unknown gradient name {value!r} for the key {key!r}: "
                + (f"did you mean {listed(close)}? " if close else "")
                + "Register it with @register_gradient first, or give the rule itself."
            )
    named = isinstance(value, str) or (isinstance(value, Hashable) and value in SPELLINGS)
    if named:
        types = resolve(value)
        return None if op_type in types else builtin_rule(types[0])
    if not callable(value):
        raise TrickError(
            f"the rule for the key {key!r} (op type {op_type}) is {describe(value)}. Expected a "
            "function rule(op, *upstream), the name of a registered one, or of an op type; map "
            f'the type to itself ("{op_type}") to restore its own gradient.'
        )
    return value
