"""The lessons without a browser: list, run, export; and the playground: play.

python -m lessons list
python -m lessons run noise_leaks --set x=-2,-1,1 --set u=1.04,0.94,1.08 --json
python -m lessons export wrong_place --set noise_high=1.5 > wrong_place.py
python -m lessons run wrong_place --cuts sqrt:0
python -m lessons play my_program.txt --json
"""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from lessons.kit.devices import suit_small_tensors
from lessons.outputs import console
from lessons.outputs.ask import Asked, asked
from lessons.outputs.catalogue import UnknownLessonError, lessons
from lessons.outputs.export import export
from lessons.outputs.play import add_command, play


class _Parser(argparse.ArgumentParser):
    """Says what was wrong in one line; the usage stays for --help."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message}. Try: python -m lessons --help")

    def print_help(self, file: object = None) -> None:
        console.write(self.format_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        The exit status: 0; 2 for what was asked wrongly; 1 where the answer could not be written;
        130 where it was interrupted, as shells have it.
    """
    suit_small_tensors()
    console.prepare()
    try:
        console.write(_answer(_parser().parse_args(arguments)))
    except (UnknownLessonError, ValueError) as error:
        console.complain(str(error))
        return 2
    except console.OutputError as error:
        console.complain(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _answer(options: argparse.Namespace) -> str:
    """What the command prints."""
    if options.command == "list":
        return "\n".join(f"{lesson.slug}  {lesson.title}" for lesson in lessons())
    if options.command == "run":
        return _numbers(_asked(options), as_json=options.json)
    if options.command == "play":
        return play(options)
    return export(*_asked(options))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m lessons", description="The lessons without a browser.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    commands.add_parser("list", help="one lesson a line, its slug first")
    add_command(commands)
    run = commands.add_parser("run", help="compute a lesson and print its numbers")
    run.add_argument("--json", action="store_true", help="print one JSON object, unrounded")
    write = commands.add_parser("export", help="print one runnable file that needs only torch")
    for command in (run, write):
        command.add_argument("lesson", help="a slug, as python -m lessons list prints them")
        command.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="a parameter; may be given several times",
        )
        command.add_argument(
            "--cuts",
            default="",
            metavar="OP:OPERAND",
            help="edges of the graph where the gradient stops, as in mul:0,sqrt:0",
        )
    return parser


def _asked(options: argparse.Namespace) -> Asked:
    given: dict[str, str] = {}
    for setting in options.set:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ValueError(f"--set needs NAME=VALUE, and got “{setting[:40]}”")
        if name in given:
            raise ValueError(f"--set {name[:40]} was given twice")
        given[name] = text
    return asked(options.lesson, given, options.cuts)


def _numbers(one: Asked, as_json: bool) -> str:
    lesson, values, cuts = one
    result = lesson.compute(values, cuts=cuts)
    if as_json:
        return one.to_json(result)
    table = lesson.lab.table(result, values, frozenset())
    rows = [tuple(label for label, _ in table.columns), *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    return "\n".join([lesson.title, *lines, *(note.text for note in result.notes)])


if __name__ == "__main__":
    sys.exit(main())
