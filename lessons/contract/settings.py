"""A lab's settings as a class, declared once: ``settings.v`` is a float, for mypy as well.

::

    class Settings(ComputedIn):
        v = slider(0.5, -1, 2, step=0.05)
        stop = choice("no", "yes")
        updates = whole(60, 0, 200)

The attributes are the controls, in this order; those of a base class come last. Their labels are in
en.md. An instance is what a learner has set. It is a mapping, too, for code that serves every lab.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Protocol, Self, TypeVar, cast

from lessons.contract.parameters import (
    Choice,
    Integer,
    Number,
    Numbers,
    Parameter,
    shortest,
    validate,
)

V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)


class _Reads(Protocol[V_co]):
    def parse(self, text: str) -> V_co: ...


class Settings(Mapping[str, Any]):
    """What a learner has set in a lab, by name and as attributes.

    Args:
        values: by name, validated.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def __init_subclass__(cls) -> None:
        names = dict.fromkeys(name for base in cls.__mro__ for name in vars(base))
        found = {name: getattr(cls, name, None) for name in names}
        cls.parameters = tuple(
            replace(one, name=name) for name, one in found.items() if isinstance(one, Parameter)
        )

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values)

    @classmethod
    def read(cls, given: Mapping[str, str]) -> Self:
        """Parse texts by name, and use the default for every other parameter.

        Raises:
            InvalidParametersError: with a message for each refused parameter, by its name.
        """
        return cls(validate(cls.parameters, given))

    def __or__(self, others: Mapping[str, Any]) -> Self:
        """Copy these settings with others in their place."""
        return type(self)({**self, **others})

    def recording_reads(self) -> tuple[Self, dict[str, Any]]:
        """Return a copy that notes which settings are read, and the dict of these: a cache key."""
        own, read, cls = vars(self), dict[str, Any](), type(self)

        class Noted(cls):  # type: ignore[valid-type, misc]
            def __getattribute__(self, name: str) -> Any:
                value = super().__getattribute__(name)
                return read.setdefault(name, value) if name in own else value

        return Noted(own), read

    def __getitem__(self, name: str) -> Any:
        if name not in self.__dict__:
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __len__(self) -> int:
        return len(self.__dict__)

    def __repr__(self) -> str:
        return repr(self.__dict__)


def declared(parameter: _Reads[V]) -> V:
    """Return a parameter; its type is that of the values that it reads."""
    return cast(V, parameter)


def slider(
    default: float,
    low: float,
    high: float,
    step: float = 0.01,
    *,
    accepts: tuple[float, float] = (-10.0, 10.0),
    **more: Any,
) -> float:
    """Declare a number on a slider from low to high; the keyboard gets all that it accepts."""
    low_and_high = {"low": float(accepts[0]), "high": float(accepts[1])}
    more |= low_and_high | {"slider": (float(low), float(high)), "step": step}
    return declared(Number("", shortest(default), **more))


def whole(default: int, low: int = 0, high: int = 2**32 - 1, **more: Any) -> int:
    """Declare a whole number; ``log`` asks for a logarithmic slider."""
    return declared(Integer("", str(default), low=low, high=high, **more))


def choice(*names: str, default: str = "", **more: Any) -> str:
    """Declare a choice between names; the first one is the default unless it is named."""
    return declared(Choice("", default or names[0], names=names, **more))


def numbers(default: str, **more: Any) -> tuple[float, ...]:
    """Declare a list of numbers, the default as text."""
    return cast(tuple[float, ...], Numbers("", default, **more))
