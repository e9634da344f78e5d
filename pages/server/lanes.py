"""Stub: the lanes of workers come from another branch."""


class LostError(RuntimeError):
    """The worker ended twice."""


class FullError(RuntimeError):
    """Too many wait."""
