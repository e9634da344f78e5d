"""The lessons without a browser: list, run, export; and the playground: play.

python -m lessons list
python -m lessons run noise_leaks --set x=-2,-1,1 --set u=1.04,0.94,1.08 --json
python -m lessons export wrong_place --set noise_high=1.5 > wrong_place.py
python -m lessons play my_program.txt --json
"""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from lessons import UnknownLessonError, find, lessons
from lessons.devices import one_thread_each
from lessons.export import export
from lessons.lesson import Lesson
from lessons.parameters import InvalidParametersError, Values
from lessons.playground.command import add_command, play


class _Parser(argparse.ArgumentParser):
    """Says what was wrong in one line; the usage stays for --help."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message}. Try: python -m lessons --help")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    one_thread_each()
    try:
        options = _parser().parse_args(arguments)
        if options.command == "list":
            _print_list()
        elif options.command == "run":
            _print_result(*_lesson_and_values(options), as_json=options.json)
        elif options.command == "play":
            play(options)
        else:
            print(export(*_lesson_and_values(options)), end="")
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
    return parser


def _lesson_and_values(options: argparse.Namespace) -> tuple[Lesson, Values]:
    lesson = find(options.lesson)
    given: dict[str, str] = {}
    for setting in options.set:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ValueError(f"--set needs NAME=VALUE, and got “{setting[:40]}”")
        if name in given:
            raise ValueError(f"--set {name[:40]} was given twice")
        given[name] = text
    return lesson, lesson.validate(given)


def _print_list() -> None:
    for lesson in lessons():
        print(f"{lesson.slug}  {lesson.title}")


def _print_result(lesson: Lesson, values: Values, as_json: bool) -> None:
    result = lesson.compute(values)
    if as_json:
        print(result.to_json(lesson=lesson.slug, parameters=lesson.text(values)))
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
