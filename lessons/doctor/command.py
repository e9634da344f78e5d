"""``python -m lessons trace``: traces a script or function of yours, without a server."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from ..recorder import record
from ..text import console, visible
from . import arguments, script
from .errors import TraceError
from .page import TOLD
from .run import watched
from .target import load
from .trace import Trace
from .watch import Watch

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
        "the program could not be traced.",
    )
    trace.add_argument(
        "target",
        metavar="FILE.py[:NAME]",
        help="a training script; or in a file a function, an nn.Module, its class, or a function "
        "that makes one",
    )
    trace.add_argument("rest", nargs="*", metavar="-- ARGS", help="the script's own arguments")
    trace.add_argument(
        "--steps", type=int, default=2, help="optimizer steps to watch; 2 by default"
    )
    trace.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"an argument; may be given several times: {arguments.HELP}",
    )
    trace.add_argument(
        "--out",
        metavar="FILE.html",
        help="the page to write; by default NAME.html here, which replaces only an earlier report",
    )
    trace.add_argument(
        "--seed", type=int, help="seed of torch's random numbers in a function; 0 by default"
    )


def parse(parser: argparse.ArgumentParser, words: Sequence[str] | None) -> argparse.Namespace:
    """What a command line asks for; what comes after ``--`` is the script's own.

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
        SystemExit: a fault was found, and is printed. A stopped script ends at once instead.
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
    if not options.out and page.is_file() and TOLD not in page.read_text("utf-8", "replace"):
        raise TraceError(
            f"{page.name} exists and is no report of ours. Name another file with --out."
        )

    def told(made: Trace) -> str:
        try:
            made.save(page)
        except OSError as error:
            raise TraceError(f"{page}: {error.strerror}.") from None
        path = options.out or page.name
        return f"{made}\n\nWritten: {visible(path, len(path))}"

    def stopped(made: Trace) -> None:
        console.write(told(made))
        script.leave(int(bool(made.faults)))

    if is_script:
        made = script.trace_script(Path(target), options.rest, options.steps, stopped)
        if made.error is not None:
            script.told_as_alone(made.error)
    else:
        made = traced_file(target, options.arg, options.seed or 0, options.steps)
    if made.faults:
        console.write(told(made))
        raise SystemExit(1)
    return told(made)


def traced_file(target: str, settings: list[str], seed: int = 0, steps: int = 2) -> Trace:
    """The trace of `FILE.py:NAME` with arguments as they are typed, `NAME=VALUE` each."""
    torch.manual_seed(seed)
    given = arguments.read(settings)
    with record() as recording:
        watching = Watch(recording, steps)
        recording.wait()  # the file makes its weights, and may freeze some
        what = load(target, given)
        # Of a model it is the weights that want gradients; of a function its arguments.
        values = arguments.bound(what.name, what.signature, given, grad="" not in what.modules)
        recording.wait(False)
        run = watched(watching, what, (), values)
    return Trace(run)
