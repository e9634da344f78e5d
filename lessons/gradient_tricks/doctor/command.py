"""``python -m lessons trace``: traces a script or function of yours, without a server."""

import argparse
import multiprocessing
import os
import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from ..recorder import record
from ..text import console, visible
from .errors import TraceError, program_frames
from .page import MARK
from .run import Run, watched
from .target import HELP, bound, load, read
from .trace import Trace
from .watch import OURS_FAILED, Watch

PROGRAM = "gradient-tricks"


def main(words: Sequence[str] | None = None) -> int:
    """Run the command as the distribution installs it; returns its exit status."""
    parser = argparse.ArgumentParser(PROGRAM, description="Find what is wrong with a gradient.")
    add_command(parser.add_subparsers(required=True, metavar="COMMAND"))
    return console.answer(PROGRAM, lambda: run(parse(parser, words)), TraceError)


def add_command(commands: Any) -> None:
    """Add ``trace`` to a parser's commands."""
    trace = commands.add_parser(
        "trace",
        help="watch a training script or function of yours; say what is wrong with gradients",
        epilog="The exit status is 0 where nothing is wrong, 1 where a fault was found, 2 where "
        "the program could not be traced, or had no gradient to look at.",
    )
    trace.add_argument(
        "target",
        metavar="FILE.py[:NAME]",
        help="a training script; or in a file a function, an nn.Module, its class, or a function "
        "that makes one",
    )
    trace.add_argument("rest", nargs="*", metavar="-- ARGS", help="the script's own arguments")
    trace.add_argument("--steps", type=int, default=2, help="optimizer steps to watch (2)")
    trace.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"an argument; may be given several times: {HELP}",
    )
    trace.add_argument(
        "--out",
        metavar="FILE.html",
        help="the page to write; by default NAME.html here, which replaces only an earlier report",
    )


def parse(parser: argparse.ArgumentParser, words: Sequence[str] | None) -> argparse.Namespace:
    """Parse a command line; the words after ``--`` are the script's own.

    argparse would end its options at the file's name, and take these for options of the command.
    """
    words = sys.argv[1:] if words is None else [*words]
    if words[:1] != ["trace"] or "--" not in words:
        return parser.parse_args(words)
    at = words.index("--")
    options = parser.parse_args(words[:at])
    options.rest += words[at + 1 :]
    return options


def run(options: argparse.Namespace) -> str:
    """Write the page, and return what the command prints if nothing is wrong.

    Raises:
        TraceError: something is missing, or the program raised; a sentence for people.
        SystemExit: a fault was found, or nothing was looked at; this is printed. A stopped script
            ends at once instead.
    """
    target, is_script = options.target, options.target.endswith(".py")
    if options.steps < 1:
        raise TraceError(f"--steps needs a number from 1 on; got {options.steps}.")
    if options.arg and is_script:
        raise TraceError("--arg is for a function; a script takes its arguments after --.")
    if options.rest and not is_script:
        raise TraceError(f"Only a script takes arguments after --; got {options.rest[0]}.")
    name = Path(target).stem if is_script else target.rpartition(":")[2]
    page = Path(options.out or f"{name}.html").absolute()  # wherever the program goes
    if not options.out and page.is_file() and MARK not in page.read_text("utf-8", "replace"):
        raise TraceError(f"{page.name} exists and is no report of ours: name a file with --out.")

    def written(made: Trace) -> str:
        try:
            made.save(page)
        except OSError as error:
            raise TraceError(f"{page}: {error.strerror}.") from None
        path = options.out or page.name
        return f"{made}\n\nWritten: {visible(path, len(path))}"

    def stopped(made: Trace) -> None:
        console.write(written(made))
        _leave(made.status)

    if is_script:
        made = trace_script(Path(target), options.rest, options.steps, stopped)
        _print(made.error)
    else:
        made = traced_file(target, options.arg, options.steps)
    if made.status:
        console.write(written(made))
        raise SystemExit(made.status)
    return written(made)


def traced_file(target: str, settings: list[str], steps: int = 2) -> Trace:
    """The trace of `FILE.py:NAME` with arguments as they are typed, `NAME=VALUE` each."""
    torch.manual_seed(0)
    given = read(settings)
    with record() as recording:
        watching = Watch(recording, steps)
        recording.wait()  # the file makes its weights, and may freeze some
        what = load(target, given)
        # Of a model it is the weights that want gradients; of a function its arguments.
        values = bound(what.name, what.signature, given, grad="" not in what.modules)
        recording.wait(False)
        run = watched(watching, what, (), values)
    return Trace(run)


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
                _leave(2)

        watching.finished = finished
        with watching.following():
            watching.call(lambda: _as_main(path, folder, arguments))
        if recording.failed is not None:
            _print(watching.error)
            raise TraceError(OURS_FAILED) from recording.failed
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


def _print(error: BaseException | None) -> None:
    """Print an error as Python does for a script that runs without us, with escapes in letters."""
    if error is not None:
        shown = traceback.TracebackException.from_exception(error)
        shown.stack = traceback.StackSummary.from_list(program_frames(error) or shown.stack)
        lines = "".join(shown.format()).splitlines()
        print("\n".join(map(console.printable, lines)), file=sys.stderr)


def _leave(status: int = 0) -> None:
    """End this process at once: no `finally` of the script may save what two steps have made."""
    for child in multiprocessing.active_children():
        child.terminate()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
