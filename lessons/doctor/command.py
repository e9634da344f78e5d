"""``python -m lessons trace FILE.py:FUNCTION``: a program of one's own, without a server."""

import argparse
from typing import Any

import torch

from ..recorder import record
from ..text import visible
from . import arguments
from .errors import TraceError
from .target import load
from .trace import Trace
from .watch import Watch, watch


def add_command(commands: Any) -> None:
    """Add ``trace`` to a parser's commands."""
    trace = commands.add_parser(
        "trace",
        help="run a torch function of your own once forward and backward; write one HTML file",
    )
    trace.add_argument(
        "target",
        metavar="FILE.py:NAME",
        help="a function, an nn.Module, its class, or a function that makes one",
    )
    trace.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"an argument; may be given several times: {arguments.HELP}".replace("%", "%%"),
    )
    trace.add_argument("--out", metavar="FILE.html", help="where to write; else NAME.html here")
    trace.add_argument("--at", metavar="0,2", help="the entry of each tensor that is shown")
    trace.add_argument("--seed", type=int, default=0, help="for torch's own draws; 0 by default")


def run(options: argparse.Namespace) -> str:
    """What the command prints, after the page is written.

    Raises:
        TraceError: something is missing, or the program raised; a sentence for people.
    """
    made = traced_file(options.target, options.arg, options.seed, _index(options.at))
    path = options.out or f"{made.run.name}.html"
    try:
        made.save(path)
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}.") from None
    return f"{made}\n\nWritten: {visible(path, len(path))}"


def traced_file(
    target: str, settings: list[str], seed: int = 0, index: tuple[int, ...] | None = None
) -> Trace:
    """The trace of `FILE.py:NAME` with arguments as they are typed, `NAME=VALUE` each."""
    torch.manual_seed(seed)
    given = arguments.read(settings)
    with record(keep=True) as recording:
        watching = Watch(recording)
        recording.wait()  # the file makes its weights, and may freeze some
        what = load(target, given)
        # Of a model it is the weights that want gradients; of a function its arguments.
        values = arguments.bound(what.name, what.signature, given, grad="" not in what.modules)
        recording.wait(False)
        run = watch(watching, what, (), values)
    return Trace(run, index)


def _index(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word.isascii() and word.isdigit() for word in words):
        raise TraceError(f"--at needs places, counted from 0, such as 0,2; “{text[:40]}” came.")
    return tuple(int(word) for word in words)
