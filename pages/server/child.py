"""A process that works for the server: started, listened to, and started again where it ends.

Each line that goes in is JSON. Each message that comes out has a head of three uint32: two that
only its kind of process knows, and the length of what follows. It ends when its input does.
"""

import asyncio
import json
import logging
import os
import signal
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

ROOT = Path(__file__).parents[2]
HEAD = struct.Struct("<III")
CORES = "GRADIENT_TRICKS_CORES"


def cores() -> int:
    """How many cores this server may keep busy: those it may run on, or as it was told.

    Raises:
        ValueError: the environment says something else than a number.
    """
    told = os.environ.get(CORES, "")
    if told:
        if not (told.isascii() and told.isdigit() and 0 < int(told) < 1000):
            raise ValueError(f"{CORES} is a number of cores, 1 or more, not {told!r}.")
        return int(told)
    if hasattr(os, "sched_getaffinity"):  # a container's or a batch system's share
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def output() -> BinaryIO:
    """In the child: where messages go out. Whatever prints must not get between them.

    From here on the server says when to end, by closing the input: a terminal sends a Ctrl-C, and a
    system that ends a service a SIGTERM, to all that it started, and the server may finish first.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return out


def how(code: int) -> str:
    """How a process ended, from what the system says of it: the name of a signal, or a number."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:  # one that Python has no name for
        return f"signal {-code}"


def say(out: BinaryIO, content: bytes) -> None:
    """In the child: send a message. Where the server has ended, nobody waits, and this ends too."""
    try:
        out.write(content)
        out.flush()
    except BrokenPipeError:
        os._exit(0)  # also out of a thread, and nothing more is written


class Child:
    """One such process, seen from the server's event loop.

    Args:
        kind: what it does, for the log and the meters.
        module: what it runs.
        environment: what it finds in its environment besides ours.
        niceness: how far it stands back behind others, from its first moment on: to load torch
            takes a core for seconds.
    """

    def __init__(
        self, kind: str, module: str, environment: Mapping[str, str] = {}, niceness: int = 0
    ) -> None:
        self._kind, self._module = kind, module
        self._environment, self._niceness = environment, niceness
        self._hung = False
        self.on_restart: Callable[[str], None] = lambda kind: None
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """Of the process that runs now."""
        return self._process.pid if self._process and self._process.returncode is None else None

    def start(self) -> None:
        """Start it, in the background; does nothing where it is there already."""
        self.living()

    def living(self) -> asyncio.Task[None]:
        """What keeps it alive; never done but where no process can be started at all."""
        self._task = self._task or asyncio.create_task(self._live())
        return self._task

    async def kill(self) -> None:
        """End it now."""
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])  # one that is being started is ended, too
        if self._process and self.pid:
            self._process.kill()
            await self._process.wait()

    def end(self) -> None:
        """End it now, and start it again."""
        if self._process and self.pid:
            self._hung = True
            self._process.kill()

    def send(self, message: dict[str, object]) -> None:
        """Write a line to it; where it does not run, nothing."""
        if self._process and self._process.stdin and self.pid:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")

    def inherited(self) -> Sequence[int]:
        """Handles that the next process gets from us, and finds named in its arguments."""
        return ()

    def started(self) -> None:
        """It was started, and has heard nothing yet."""

    def received(self, first: int, second: int, content: bytes) -> None:
        """A message came out of it."""

    def ended(self) -> None:
        """It ended by itself: out of memory, say. It is started again after this."""

    async def _live(self) -> None:
        while True:
            try:
                handles = self.inherited()
                self._process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", self._module, *map(str, handles)),
                    pass_fds=handles,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    cwd=ROOT,
                    env={**os.environ, **self._environment},
                )
            except OSError:  # no memory for it now, say
                logging.getLogger(__name__).exception("%s could not be started", self._module)
                await asyncio.sleep(5.0)
                continue
            if self._niceness and hasattr(os, "setpriority"):  # Windows has none
                with suppress(ProcessLookupError):
                    own = os.getpriority(os.PRIO_PROCESS, 0)
                    os.setpriority(os.PRIO_PROCESS, self._process.pid, own + self._niceness)
            self.started()
            await self._read()
            self.ended()
            await asyncio.sleep(0.5)
            self._restart(how(self._process.returncode or 0))

    def _restart(self, ended: str) -> None:
        """Say that it is started again. A server that ends meanwhile does not get here."""
        why, self._hung = "did not answer and was ended" if self._hung else "ended", False
        facts = {"kind": "restart", "child": self._kind, "ended": ended}
        logging.getLogger(__name__).warning(
            "%s %s (%s); it is started again", self._module, why, ended, extra={"facts": facts}
        )
        self.on_restart(self._kind)

    async def _read(self) -> None:
        assert self._process
        assert self._process.stdout
        try:
            while True:
                head = await self._process.stdout.readexactly(HEAD.size)
                first, second, length = HEAD.unpack(head)
                self.received(first, second, await self._process.stdout.readexactly(length))
        except asyncio.IncompleteReadError:
            await self._process.wait()
