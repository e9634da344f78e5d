"""``python -m lessons play FILE``: a playground document without a browser."""

import argparse
import json
from typing import Any

import torch

from lessons.contract.result import jsonable
from lessons.gradient_tricks.text import console, number
from lessons.playground.document.as_text import Reading, read_text, to_text
from lessons.playground.document.presets import preset
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.outcome import Outcome, run


def add_command(commands: Any) -> None:
    """Add ``play`` to a parser's commands."""
    play = commands.add_parser("play", help="run a playground document and print its numbers")
    play.add_argument("file", help="a document, - for standard input, or preset:NAME")
    play.add_argument("--json", action="store_true", help="print one JSON object, unrounded")


def play(options: argparse.Namespace) -> str:
    """What the command prints.

    Raises:
        ValueError: the file cannot be read, or the document is wrong (`PlaygroundError`).
    """
    reading = (
        Reading(preset(options.file.removeprefix("preset:")))
        if options.file.startswith("preset:")
        else read_text(console.read(options.file))
    )
    document = reading.document
    try:
        outcome = run(document, curves=options.json)
    except PlaygroundError as error:
        raise reading.placed(error) from None
    if options.json:
        body = as_json(outcome, to_text(document))
        return json.dumps(body, allow_nan=False, ensure_ascii=False)
    comments = [line for one in document.inputs for line in one.above]
    return as_table(outcome, comments[0].lstrip("# ") if comments else "")


def as_json(outcome: Outcome, text: str) -> dict[str, Any]:
    """One JSON object: values, gradients by role, series, curves, notes; unrounded.

    NaN and infinities are text; a gradient that does not exist is null.
    """
    whole = json.loads(outcome.to_json())
    return {
        "document": text,
        "output": outcome.output,
        "values": {name: plain(value) for name, value in outcome.values.items()},
        "gradients": {
            role: {name: plain(value) for name, value in by_input.items()}
            for role, by_input in outcome.gradients.items()
        },
        "overridden": dict(outcome.overridden),
        **{name: whole[name] for name in ("series", "curves", "notes")},
    }


def as_table(outcome: Outcome, title: str) -> str:
    """Names, values and gradients as lines of text."""
    lines = [title] if title else []
    for name, value in outcome.values.items():
        lines.append(f"{name} = {_shown(value)}")
    for role, by_input in outcome.gradients.items():
        for name, gradient in by_input.items():
            lines.append(f"{role} by {name}: {_shown(gradient)}")
    return "\n".join([*lines, *(note.text for note in outcome.notes)])


def plain(value: Any) -> Any:
    """A tensor or number for JSON; None stays None."""
    return jsonable(value.tolist() if isinstance(value, torch.Tensor) else value)


def _shown(value: Any) -> str:
    if value is None:
        return "None"
    items = value.tolist() if isinstance(value, torch.Tensor) else value
    if isinstance(items, list):
        return f"[{', '.join(_shown(item) for item in items)}]"
    return number(float(items))
