"""The trick engine: torch only."""

from lessons.tricks.plain import stop_gradient

__all__ = ["stop_gradient"]
