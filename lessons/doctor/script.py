"""A training script as it stands: run as ``__main__``, and stopped once it was watched."""

import multiprocessing
import os
import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from ..recorder import record
from .errors import TraceError, program_frames
from .run import Run
from .trace import Trace
from .watch import Watch


def trace_script(
    path: Path, arguments: Sequence[str], steps: int, stopped: Callable[[Trace], None]
) -> Trace:
    """Run a script until its optimizers have made so many steps, and call `stopped` then.

    Where `stopped` returns, the script goes on, unwatched. Returns that trace; where the script
    ends before, one of all that ran.

    Raises:
        TraceError: there is no such file.
    """
    if not path.is_file():
        raise TraceError(f"There is no file {path}.")
    folder = str(path.resolve().parent)
    with record() as recording:
        watching = Watch(recording, steps, is_script=True)
        recording.wait()
        made: list[Trace] = []

        def finished() -> None:
            try:
                made.append(Trace(Run(watching, path.name, folder=folder)))
                stopped(made[0])
            except TraceError as error:
                print(error, file=sys.stderr)
                leave(2)
            except Exception:  # within the script it would look like an error of the script
                traceback.print_exc()
                print("The doctor itself failed here, not your script.", file=sys.stderr)
                leave(70)

        watching.finished = finished
        with watching.following():
            watching.call(lambda: _as_main(path, folder, arguments))
    return made[0] if made else Trace(Run(watching, path.name, folder=folder))


def _as_main(path: Path, folder: str, arguments: Sequence[str]) -> None:
    """Run the script as `python path arguments` does."""
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, folder)
    try:
        runpy.run_path(str(path.absolute()), run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)  # as Python does
        if end.code not in (None, 0):
            status = end.code if isinstance(end.code, int) else 1
            print(f"{path.name} ended with exit status {status}.", file=sys.stderr)


def told_as_alone(error: BaseException) -> None:
    """Print an error as Python does where a script is run without us."""
    shown = traceback.TracebackException.from_exception(error)
    frames = program_frames(error)
    shown.stack = traceback.StackSummary.from_list(frames or shown.stack)
    print("".join(shown.format()), file=sys.stderr, end="")


def leave(status: int = 0) -> None:
    """End this process at once: no `finally` of the script may save what two steps have made."""
    for child in multiprocessing.active_children():
        child.terminate()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
