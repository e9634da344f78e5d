"""A lesson's steps as Markdown for a notebook; its table and its parameters for a terminal."""

import inspect
import re
import shlex
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lessons.contract.bug import Bug
from lessons.contract.figure import Table
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Choice, Device, Integer, Number, Numbers, Parameter, Text
from lessons.contract.result import Result
from lessons.gradient_tricks.text.words import Texts
from lessons.outputs.trained import case, end_of
from lessons.prose.steps import Question, Step, fill

WORDS = Texts(__file__)

RUN = "python -m lessons run"
_INSIDE = re.compile(r"\[([^\]]+)\]\(/\w*\?[^)]*\)")
"""A link to another page of the app, and its text."""


def steps(lesson: Lesson) -> Iterator[str]:
    """Each step: its text, its question and the answer, the commands that do what it asks for."""
    for step in lesson.prose.steps:
        result, end = lesson.compute(lesson.validate(step.lab)), end_of(lesson, step)
        facts = result.facts if end is None else {**result.facts, **end.facts}
        parts = [f"## {step.title}", fill(step.text, facts)]
        if step.question:
            parts += _question(lesson, step.question, result)
        if end is not None and lesson.lab.training:
            table = lesson.lab.training.table(end, case(lesson, step))
            parts += [f"{table.caption}:", fenced(in_columns(table), "text")]
        if step.turn:
            parts.append(fill(step.turn.text, result.facts))
        yield _INSIDE.sub(r"\1", "\n\n".join([*parts, *_commands(lesson, step)]))


def _question(lesson: Lesson, one: Question, result: Result) -> Iterator[str]:
    """The options of a choice, the code of a bug, and the answer."""
    options = {option.key: fill(option.text, result.facts) for option in one.options}
    if one.kind == "bug" and lesson.bug:
        yield from _bug(lesson.bug)
    if one.kind in ("choice", "bug"):
        yield "\n".join(f"- {text}" for text in options.values())
    elif one.kind == "sketch":
        yield WORDS("on_paper")
    right = lesson.right(one, result)
    reply = fill(next(o.reply for o in one.options if o.key == right), result.facts)
    answer = f"{options[right]} {reply}"
    if one.kind == "bug":
        yield WORDS("passes_with", answer=answer)
    else:
        yield WORDS("computes", by=one.by, answer=answer)


def _bug(bug: Bug) -> Iterator[str]:
    """Its thread, its code and its test."""
    yield WORDS("bug_from", source=bug.source, url=bug.url, title=bug.title, opened=bug.opened)
    yield _code(bug.broken)
    yield WORDS("test_that_fails")
    yield _code(bug.check)


def _code(function: Callable[..., Any]) -> str:
    return fenced(textwrap.dedent(inspect.getsource(function)).strip())


def fenced(code: str, language: str = "python") -> str:
    """Code as Markdown."""
    return f"```{language}\n{code}\n```"


def _commands(lesson: Lesson, step: Step) -> Iterator[str]:
    """The commands for the numbers of a step, and for what it asks the learner to do."""
    if step.lab:
        given = {"cuts": step.cuts or "", **step.lab}
        lines = [_command(lesson, given)]
        if step.touch:
            lines.append(_command(lesson, {**given, **step.touch}) + "  # " + WORDS("tried"))
        if step.turn:
            solved = {**given, **step.turn.solved}
            lines.append(_command(lesson, solved) + "  # " + WORDS("turn_done"))
        yield fenced("\n".join(lines), "sh")


def _command(lesson: Lesson, given: Mapping[str, str]) -> str:
    """The command that computes the lesson; besides settings, `given` has `cuts` and `run`."""
    known = {one.name: one.default for one in lesson.lab.parameters}
    words = [RUN, lesson.slug]
    for name, text in given.items():
        if name in known and text != known[name]:
            words += ["--set", shlex.quote(f"{name}={text}")]
    if given["cuts"]:
        words += ["--cuts", given["cuts"]]
    if "run" in given:
        words += ["--steps", given["run"]]
    return " ".join(words)


def in_columns(table: Table) -> str:
    """A table's columns, each as wide as its widest cell."""
    rows = [tuple(label for label, _ in table.columns), *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def settings(lesson: Lesson) -> str:
    """The lesson's parameters, a line each: name, what it does, what is accepted, the default."""
    rows = [(one.name, described(one)) for one in lesson.lab.parameters]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"  {name.ljust(width)}  {text}" for name, text in rows)


def described(parameter: Parameter) -> str:
    """What a parameter means, its range and its default, on one line."""
    match parameter:
        case Number(low=low, high=high):
            accepted = WORDS("range", low=f"{low:g}", high=f"{high:g}")
        case Integer(low=low, high=high):
            accepted = WORDS("whole_range", low=f"{low:,}", high=f"{high:,}")
        case Numbers(most=most):
            accepted = WORDS("up_to_numbers", most=most)
        case Choice(options=options):
            says = (f"{name} ({label})" if label != name else name for name, label in options)
            accepted = WORDS("one_of", names=", ".join(says))
        case Device():
            accepted = WORDS("devices")
        case Text(longest=longest):
            accepted = WORDS("up_to_characters", most=longest)
        case _:
            accepted = ""
    default = WORDS("no_default")
    if parameter.default:  # not filled in: −1.5 would lose the hyphen that one types
        word = WORDS("default")
        default = f"{word} {parameter.default}"
    notes = "; ".join(filter(None, [accepted, default]))
    return " ".join(f"{parameter.label}. {parameter.help} [{notes}]".split())
