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

from lessons import UnknownLessonError, lessons
from lessons.ask import Asked, asked
from lessons.devices import suit_small_tensors
from lessons.export import export
from lessons.parameters import InvalidParametersError
from lessons.playground.command import add_command, play


class _Parser(argparse.ArgumentParser):
    """Says what was wrong in one line; the usage stays for --help."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message}. Try: python -m lessons --help")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    suit_small_tensors()
    try:
        options = _parser().parse_args(arguments)
        if options.command == "list":
            _print_list()
        elif options.command == "run":
            _print_result(_asked(options), as_json=options.json)
        elif options.command == "play":
            play(options)
        else:
            print(export(*_asked(options)), end="")
    except (UnknownLessonError, InvalidParametersError, ValueError) as error:
        print(f"python -m lessons: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
    return 0


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


def _print_list() -> None:
    for lesson in lessons():
        print(f"{lesson.slug}  {lesson.title}")


def _print_result(one: Asked, as_json: bool) -> None:
    lesson, values, cuts = one
    result = lesson.compute(values, cuts=cuts)
    if as_json:
        print(one.to_json(result))
        return
    table = lesson.lab.table(result, values, frozenset())
    rows = [tuple(label for label, _ in table.columns), *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    print(lesson.title)
    for row in rows:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
    for note in result.notes:
        print(note.text)


if __name__ == "__main__":
    sys.exit(main())
