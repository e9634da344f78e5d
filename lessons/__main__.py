"""The lessons without a browser: list, run, export, notebook; new, check and keep for
authors; play for the playground, and trace for a torch program of one's own.

python -m lessons list
python -m lessons run noise_leaks --help
python -m lessons run noise_leaks --set x=-2,-1,1 --set u=1.04,0.94,1.08 --json
python -m lessons export wrong_place --set noise_high=1.5 > wrong_place.py
python -m lessons run wrong_place --cuts sqrt:0
python -m lessons run moons --steps 200 --json
python -m lessons notebook flip > flip.ipynb
python -m lessons new reversal/mine --like flip
python -m lessons check flip
python -m lessons keep flip
python -m lessons play my_program.txt --json
python -m lessons trace train.py:loss --arg x=-2,-1,1
"""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from lessons.check import Problem, check
from lessons.check.runs import Problems, Runs
from lessons.check.trainings import describe_largest_change, is_stale, keep
from lessons.contract.history import History
from lessons.gradient_tricks.doctor import TraceError
from lessons.gradient_tricks.doctor import command as trace
from lessons.gradient_tricks.text import console, counted
from lessons.outputs import new
from lessons.outputs.ask import Asked, asked
from lessons.outputs.catalogue import (
    CatalogueError,
    Chapter,
    UnknownLessonError,
    chapters,
    find,
    lessons,
)
from lessons.outputs.notebook import notebook
from lessons.outputs.plain_torch import plain_torch
from lessons.outputs.play import add_command, play
from lessons.outputs.process import leave_unsaid, suit_small_tensors
from lessons.outputs.reading import in_columns, settings
from lessons.training.under_way import Run

_PROGRAM = "python -m lessons"
_WITH_SETTINGS = {
    "run": "compute a lesson and print its numbers; train what trains",
    "export": "print one short file of plain torch",
    "notebook": "print a Jupyter notebook",
}


class _Parser(argparse.ArgumentParser):
    """Says what was wrong in one line; the usage stays for --help."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message}. Try: {_PROGRAM} --help")

    def print_help(self, file: object = None) -> None:
        console.write(self.format_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    suit_small_tensors()
    problems: list[Problem] = []
    status = console.answer(
        _PROGRAM,
        lambda: _answer(trace.parse(_parser(), arguments), problems),
        *(CatalogueError, TraceError, UnknownLessonError),
    )
    return status or int(bool(problems))


def _answer(options: argparse.Namespace, problems: list[Problem]) -> str:
    """What the command prints; a check adds the problems that it finds."""
    if options.command == "trace":
        return trace.run(options)
    leave_unsaid()
    if options.command == "new":
        folder = new.write(options.name, options.like)
        return f"Written: {folder}\nNow check it: {_PROGRAM} check {folder.name}"
    if options.command == "check":
        slugs, retrained = options.lessons or [lesson.slug for lesson in lessons()], list[str]()

        def compare(runs: Runs) -> Problems:
            """Find no problem: note what a lesson gives that was trained again."""
            if is_stale(runs.lesson):
                slug = runs.lesson.slug
                change = describe_largest_change(runs)
                said = f"A source changed, so {slug} was trained again: {change}."
                retrained.append(f"{said} To keep that: {_PROGRAM} keep {slug}")
            yield from ()

        problems += [problem for slug in slugs for problem in check(slug, options.all, compare)]
        found = f"{counted(len(slugs), 'lesson')}, {counted(len(problems), 'problem')}"
        return "\n".join([*map(str, problems), found, *([] if problems else retrained)])
    if options.command == "keep":
        for slug in options.lessons:
            keep(slug)
        return "Kept. Look at what changed: git diff"
    if options.command == "list":
        return "\n\n".join(map(_chapter, chapters()))
    if options.command == "play":
        return play(options)
    if options.help:
        return _help(options)
    if not options.lesson:
        raise ValueError(f"Which lesson? Try: python -m lessons {options.command} noise_leaks")
    one = _asked(options)
    if options.command == "run":
        return _numbers(one, options.json, options.steps)
    if options.command == "notebook":
        return notebook(one.lesson, one.values)
    return plain_torch(one.lesson, one.values)


def _chapter(chapter: Chapter) -> str:
    width = max(len(lesson.slug) for lesson in chapter.lessons)
    lines = [f"  {lesson.slug.ljust(width)}  {lesson.title}" for lesson in chapter.lessons]
    return "\n".join([f"{chapter.slug}: {chapter.title}", *lines])


def _parser() -> argparse.ArgumentParser:
    """Describe the commands and their options to argparse."""
    parser = _Parser(prog=_PROGRAM, description="The lessons without a browser.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    commands.add_parser("list", help="the chapters, one lesson a line, its slug first")
    add_command(commands)
    trace.add_command(commands)
    written = commands.add_parser("new", help="write a lesson to start from, a copy of another")
    written.add_argument("name", metavar="chapter/slug", help="where, as in reversal/mine")
    written.add_argument("--like", default="flip", metavar="lesson", help="the one to copy; flip")
    checked = commands.add_parser("check", help="check lessons by the rules of a lesson")
    checked.add_argument("lessons", nargs="*", metavar="lesson", help="a slug; all without it")
    checked.add_argument("--all", action="store_true", help="try all cases, train all anew")
    kept = commands.add_parser("keep", help="keep the numbers that check compares, after a change")
    kept.add_argument("lessons", nargs="+", metavar="lesson", help="a slug")
    for name, says in _WITH_SETTINGS.items():
        command = commands.add_parser(name, help=says, add_help=False)
        command.add_argument("lesson", nargs="?", help="a slug, as python -m lessons list prints")
        command.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="a parameter; may be given several times",
        )
        if name == "run":
            command.add_argument(
                "--cuts",
                metavar="OP:OPERAND",
                help="edges of the graph where the gradient stops, as in mul:0,sqrt:0",
            )
            command.add_argument("--json", action="store_true", help="one JSON object, unrounded")
            command.add_argument(
                "--steps",
                type=_count,
                metavar="N",
                help="of a lesson that trains: no more than N steps; 0 for none",
            )
        command.add_argument("-h", "--help", action="store_true", help="and a lesson's parameters")
        command.set_defaults(cuts="", usage=command.format_help)
    return parser


def _asked(options: argparse.Namespace) -> Asked:
    given: dict[str, str] = {}
    for setting in options.set:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ValueError(f"--set needs NAME=VALUE, as in scale=2, and got “{setting[:40]}”")
        if name in given:
            raise ValueError(f"--set {name[:40]} was given twice. Give it once.")
        given[name] = text
    return asked(options.lesson, given, options.cuts)


def _help(options: argparse.Namespace) -> str:
    usage: str = options.usage()
    if not options.lesson:
        return usage
    lesson = find(options.lesson)
    return f"{usage}\nParameters of {lesson.slug}:\n{settings(lesson)}"


def _numbers(one: Asked, as_json: bool, steps: int | None) -> str:
    lesson, values, cuts = one
    result = lesson.compute(values, cuts=cuts)
    history = None if steps == 0 else _trained(one, steps)
    if as_json:
        return one.to_json(result, history)
    table = lesson.lab.table(result, values)
    if history and lesson.lab.training:
        table = lesson.lab.training.table(history, values)
    notes = [note.text for note in (*result.notes, *(history.notes() if history else ()))]
    return "\n".join([lesson.title, in_columns(table), *notes])


def _trained(one: Asked, steps: int | None) -> History | None:
    """The whole training, or its first steps, told on standard error; None where none is."""
    training = one.lesson.lab.training
    if training is None:
        if steps:
            raise ValueError(f"--steps came, and {one.lesson.slug} trains nothing. Leave it out.")
        return None
    program = one.lesson.cut_open(one.cuts if training.cuts else ())
    run = Run(one.lesson.lab, program, one.values)
    most = run.total if steps is None else min(steps, run.total)
    while run.done < most:
        run.advance(float("inf"), one.values, most=min(100, most - run.done))
        print(f"step {run.done} of {run.total}", file=sys.stderr, flush=True)
    return run.history


def _count(text: str) -> int:
    """A whole number, 0 or more."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"a whole number is expected, not “{text[:40]}”")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
