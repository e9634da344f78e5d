"""``python -m lessons trace``: a script or a function of one's own, without a server."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from ..recorder import record
from ..text import visible
from . import arguments, script
from .errors import TraceError
from .target import load
from .trace import Trace
from .watch import Watch, watch


def add_command(commands: Any) -> None:
    """Add ``trace`` to a parser's commands."""
    trace = commands.add_parser(
        "trace",
        help="watch a training script or function of yours; say what is wrong with gradients",
    )
    trace.add_argument(
        "target",
        metavar="FILE.py[:NAME]",
        help="a training script; or in a file a function, an nn.Module, its class, or a function "
        "that makes one",
    )
    trace.add_argument("rest", nargs="*", metavar="-- ARGS", help="the script's own arguments")
    trace.add_argument("--steps", type=int, default=2, help="of the optimizers; 2 by default")
    trace.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"an argument; may be given several times: {arguments.HELP}".replace("%", "%%"),
    )
    trace.add_argument("--out", metavar="FILE.html", help="where to write; else NAME.html here")
    trace.add_argument("--seed", type=int, help="for torch's draws in a function; 0 by default")


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
    """What the command prints, after the page is written. Ends the process for a script.

    Raises:
        TraceError: something is missing, or the program raised; a sentence for people.
    """
    if options.steps < 1:
        raise TraceError(f"--steps needs a number from 1 on; {options.steps} came.")
    if options.target.endswith(".py"):
        return _script(options)
    if options.rest:
        raise TraceError(f"Only a script takes arguments after --; {options.rest[0]} came.")
    seed = options.seed or 0
    made = traced_file(options.target, options.arg, seed, options.steps)
    return _exit_where_it_raised(made, _written(made, options.out))


def _script(options: argparse.Namespace) -> str:
    if options.arg:
        raise TraceError("--arg is for a function; a script takes its arguments after --.")
    folder = Path.cwd()

    def stopped(made: Trace) -> None:
        print(_written(made, options.out, folder))
        script.leave()

    path = Path(options.target)
    made = script.trace_script(path, options.rest, options.steps, stopped)
    error = made.error
    if error is not None:
        script.told_as_alone(error)
    return _exit_where_it_raised(made, _written(made, options.out, folder))


def _exit_where_it_raised(made: Trace, told: str) -> str:
    """What to print; a program that raises has the exit status 1, as without us."""
    if made.error is None:
        return told
    print(told)
    raise SystemExit(1)


def _written(made: Trace, out: str | None, folder: Path = Path()) -> str:
    """Write the page, into this folder wherever the program went; what the command prints."""
    path = out or f"{made.run.name.removesuffix('.py')}.html"
    try:
        made.save(str(folder / path))
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}.") from None
    return f"{made}\n\nWritten: {visible(path, len(path))}"


def traced_file(target: str, settings: list[str], seed: int = 0, steps: int = 2) -> Trace:
    """The trace of `FILE.py:NAME` with arguments as they are typed, `NAME=VALUE` each."""
    torch.manual_seed(seed)
    given = arguments.read(settings)
    with record(keep=True) as recording:
        watching = Watch(recording, steps)
        recording.wait()  # the file makes its weights, and may freeze some
        what = load(target, given)
        # Of a model it is the weights that want gradients; of a function its arguments.
        values = arguments.bound(what.name, what.signature, given, grad="" not in what.modules)
        recording.wait(False)
        run = watch(watching, what, (), values)
    return Trace(run)
