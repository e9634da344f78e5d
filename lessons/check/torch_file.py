"""Rules for in_torch.py: it is short, stands alone, and prints the lesson's numbers."""

import contextlib
import io
import json
import math
import re
import sys
from collections.abc import Iterable
from typing import Any

import torch

from lessons.check.differences import largest_differences, lesson_numbers
from lessons.check.runs import Problems, Runs
from lessons.contract.settings import Settings
from lessons.gradient_tricks.text import listed
from lessons.outputs.plain_torch import in_torch, with_settings
from lessons.outputs.trained import key

_LONGEST, _WITH_A_MAP, _TRAINING = 40, 90, 120
"""Lines of a file: of most, of those that write an override map of their own, of a training."""
_TOLERANCE = {"float64": 1e-9, "float32": 1e-5, "bfloat16": 2e-2}
_STEPS = 2
"""Steps of a training: the first one, and one that starts where it ended."""


def form(runs: Runs) -> Problems:
    """The file is short, and imports torch and the standard library alone."""
    lesson, text = runs.lesson, in_torch(runs.lesson)
    most = _WITH_A_MAP if lesson.chapter == "override_map" else _LONGEST
    most = _TRAINING if lesson.lab.training else most
    if (lines := len(text.splitlines())) > most:
        yield "in_torch.py", f"The file has {lines} lines, at most {most}. Shorten it."
    known = "json|math|sys|torch" if lesson.lab.training else "json|math|torch"
    ours = r"lessons|gradient_tricks|trick_lab"
    for other in re.findall(rf"import (?!{known})\w+|{ours}", text):
        yield "in_torch.py", f"It has {other!r}, which learners lack who take it home."


def numbers(runs: Runs) -> Problems:
    """The file prints the lesson's numbers, at each step and in each number format."""
    lesson, few = runs.lesson, {"seeds": "1"} if runs.lesson.lab.training else {}
    given = [{}, *({"dtype": dtype} for dtype in _TOLERANCE)]
    given += [dict(step.lab) for step in lesson.prose.steps]
    return printed_alike(runs, (lesson.validate({**one, **few}) for one in given))


def printed_alike(runs: Runs, settings: Iterable[Settings]) -> Problems:
    """Say at which of these settings the file prints other numbers than the lesson has."""
    lesson, words = runs.lesson, []
    for values in {repr(one): one for one in settings}.values():
        if lesson.lab.training:
            values, words = values | {"steps": _STEPS}, [str(_STEPS), "99"]
        chosen = {**values, **lesson.lab.sampled_values(values)}
        found = printed(with_settings(in_torch(lesson), chosen), words)
        dtype = values.get("dtype", "float64")
        where = key(lesson, values) or "its defaults"
        try:
            apart = largest_differences(lesson_numbers(runs, values), found)
        except ValueError as error:
            yield "in_torch.py", f"At {where} it prints something else: {error}."
            return
        tolerance = _TOLERANCE[dtype]
        wrong = [
            f'another `"{name}"` ({gap:.2g} off)'
            for name, gap in apart.items()
            if not gap <= tolerance
        ]
        if lesson.lab.training and not wrong:
            facts, means = runs.history(values, (), _STEPS).facts, found["trained"]
            # Other ops in another order: in 8 bits a rounding turns Adam's first steps around.
            near = {"rel_tol": 1e-3, "abs_tol": 0.05 if dtype == "bfloat16" else 1e-4}
            for name, mean in (means or {"trained": math.nan}).items():
                theirs, ours = float(mean), float(facts.get(name, math.nan))
                if not math.isclose(theirs, ours, **near):
                    wrong.append(f"{name} = {theirs:.3g} (the lesson {ours:.3g})")
        if wrong:
            yield "in_torch.py", f"At {where} it prints {listed(wrong, most=1)}."
            return


def printed(text: str, words: Iterable[str] = ()) -> Any:
    """Run a file as the main program, with these arguments; read the JSON that it prints."""
    arguments, dtype = sys.argv, torch.get_default_dtype()
    sys.argv = ["in_torch.py", *words]
    out, progress = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(progress):
            exec(compile(text, "in_torch.py", "exec"), {"__name__": "__main__"})
    finally:
        sys.argv = arguments
        torch.set_default_dtype(dtype)
    return json.loads(out.getvalue())
