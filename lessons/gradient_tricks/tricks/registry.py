"""Gradient rules by name, as TensorFlow keeps them: one registry for the process.

This is the engine's only global state. A map given the rule itself needs no name. What is to run
as in a new process, and leave nothing behind, gets a registry of its own: `fresh_registry`.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from .errors import TrickError, describe
from .lookup import NAMES
from .optypes import OP_TYPES

Rule = Callable[..., Any]
_AnyRule = TypeVar("_AnyRule", bound=Rule)
_RULES: dict[str, Rule] = {}
_LOCK = threading.Lock()
_OWN: ContextVar[dict[str, Rule] | None] = ContextVar("own gradient registry", default=None)


def register_gradient(name: str) -> Callable[[_AnyRule], _AnyRule]:
    """Decorator: keep a gradient rule under `name` for `gradient_override_map`.

    A rule is `rule(op, *upstream)`: one upstream gradient for each output (zeros for an unused
    floating point output, None for an integer one). It returns one gradient for each tensor
    operand, of the operand's shape, dtype and device, None for none; a lone tensor for one
    operand. It must supply the local derivative itself: the upstream gradient is not "the true
    gradient". The decorated function is returned unchanged.

    Raises `TrickError` for a name already taken, for the name of an op type (built-in gradients
    cannot be replaced globally), and for a rule that is not callable.
    Source: `tf.RegisterGradient`.

    >>> @register_gradient("HalveForTheDoctest")
    ... def halve(op, upstream):
    ...     return 0.5 * upstream
    """
    if not isinstance(name, str) or not name:
        raise TrickError(
            f"register_gradient: expected a name, got {describe(name)}. "
            'Write @register_gradient("MyGradient").'
        )
    if name in OP_TYPES or any(name in row.tensorflow for row in OP_TYPES.values()):
        raise TrickError(
            f"register_gradient: {name!r} is an op type ({NAMES[name][0]}), whose built-in "
            "gradient cannot be replaced globally. Choose another name and use it in a "
            "gradient_override_map."
        )

    def register(rule: _AnyRule) -> _AnyRule:
        if not callable(rule):
            raise TrickError(
                f"register_gradient: the rule for {name!r} must be a function rule(op, *upstream), "
                f"got {describe(rule)}."
            )
        rules = _rules()
        with _LOCK:
            if name in rules:
                raise TrickError(
                    f"register_gradient: the name {name!r} is taken, by "
                    f"{getattr(rules[name], '__qualname__', rules[name])}. The registry is one "
                    "for the whole process. Choose another name, or give the map the rule itself."
                )
            rules[name] = rule
        return rule

    return register


@contextmanager
def fresh_registry() -> Iterator[None]:
    """Within the block this thread has an empty registry, as a new process has; then it is gone.

    Maps entered in the block keep their rules. Also a decorator: each call gets its own.

    >>> with fresh_registry():
    ...     _ = register_gradient("Negate")(lambda op, upstream: -upstream)
    ...     registered_names()
    ['Negate']
    """
    token = _OWN.set({})
    try:
        yield
    finally:
        _OWN.reset(token)


def _rules() -> dict[str, Rule]:
    own = _OWN.get()
    return _RULES if own is None else own


def registered_rule(name: str) -> Rule | None:
    """The rule registered under `name`, or None."""
    with _LOCK:
        return _rules().get(name)


def registered_names() -> list[str]:
    """The names registered so far."""
    with _LOCK:
        return list(_rules())
