"""A process that computes, as whoever asks it sees it: work goes in, answers come out."""

import asyncio
import json

from pages.server.child import Child
from pages.server.notice import GIVEN_UP, LOST, STOPPED, Deliver, Notice, heard


class Computer(Child):
    """One process that computes.

    Args:
        niceness: how far it stands back.
        kind, module: what it does, and what it runs.
    """

    def __init__(
        self, niceness: int = 0, kind: str = "computer", module: str = "pages.server.computer"
    ) -> None:
        super().__init__(kind, module, niceness=niceness)
        self.ready = asyncio.Event()
        self.jobs: dict[int, tuple[Deliver, dict[str, object]]] = {}

    async def loaded(self) -> None:
        """Until it has loaded everything.

        Raises:
            RuntimeError: it never will.
        """
        ready = asyncio.create_task(self.ready.wait())
        await asyncio.wait([ready, self.living()], return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            ready.cancel()
            raise RuntimeError(
                "This event loop cannot start processes. On Windows, uvicorn's can "
                "without --reload and --workers."
            ) from self.living().exception()

    def ask(
        self,
        job: int,
        work: str,
        text: str,
        deliver: Deliver,
        late: float = 0.0,
        here: float | None = None,
    ) -> None:
        """Begin work."""
        line = {"job": job, "work": work, "text": text, "late": late, "here": here}
        self.jobs[job] = deliver, line
        self.send(line)

    def stop(self, job: int) -> None:
        """The learner pressed Stop, or nobody waits for it any more."""
        self._tell(job, "stop", STOPPED)

    def drop(self, job: int) -> None:
        """The learner wants something newer."""
        self._tell(job, "drop", GIVEN_UP)

    def _tell(self, job: int, what: str, reply: Notice) -> None:
        if job not in self.jobs:
            return
        self.send({"job": job, what: 1})
        if not self.ready.is_set():  # it loads, and would say so only then
            deliver, _ = self.jobs.pop(job)
            deliver(reply, 0.0)

    def started(self) -> None:
        """What was asked for meanwhile is asked for now."""
        for _, line in self.jobs.values():
            self.send(line)

    def received(self, job: int, kind: int, content: bytes) -> None:
        """The answer to a job, or a notice."""
        answer, spent = heard(kind)
        reply = content if answer else Notice(*json.loads(content))
        if job == 0:
            self.ready.set()
        elif job in self.jobs:
            deliver, _ = self.jobs[job]
            if isinstance(reply, bytes) or reply.last:
                del self.jobs[job]
            deliver(reply, spent)

    def ended(self) -> None:
        """Whoever waits is told ``LOST``."""
        self.ready.clear()
        jobs, self.jobs = self.jobs, {}
        for deliver, _ in jobs.values():
            deliver(LOST, 0.0)
