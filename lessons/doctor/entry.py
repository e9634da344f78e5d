"""The command ``gradient-tricks``, as the distribution installs it."""

import argparse
from collections.abc import Sequence

from ..text import console
from . import command
from .errors import TraceError

PROGRAM = "gradient-tricks"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    parser = argparse.ArgumentParser(PROGRAM, description="Find what is wrong with a gradient.")
    command.add_command(parser.add_subparsers(required=True, metavar="COMMAND"))
    return console.answer(
        PROGRAM, lambda: command.run(command.parse(parser, arguments)), TraceError
    )
