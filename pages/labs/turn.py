"""Where work stands in a process that others want too. Here: alone, with nobody waiting.

``pages.server.turns`` has the turn of a learner among others.
"""

from types import TracebackType


class Turn:
    """The right to compute, taken with ``with`` and given up between."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def report(self, share: float) -> None:
        """Long work tells how far it is, 0 to 1, now and then; this may raise to stop it."""

    def waiting(self) -> None:
        """Somebody else does this very work. Called now and then; may raise to wait no more."""


ALONE = Turn()
