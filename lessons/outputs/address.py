"""What a page shows of a lesson: its address, and the controls that a teacher leaves."""

import contextlib
from collections.abc import Collection, Mapping
from urllib.parse import urlencode

from lessons.contract.cuts import write_cuts
from lessons.contract.lesson import Lesson
from lessons.contract.settings import Settings
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.prose.steps import TRY, TURN, Step


def query(
    lesson: Lesson,
    values: Settings,
    step: int,
    cuts: Collection[Cut] = (),
    hidden: Collection[str] = (),
    fixed: Collection[str] = (),
    stated: Collection[str] = (),
) -> str:
    """Return the query that restores this screen, for a lab's frame or a teacher's link.

    It names lesson, step, and every changed setting.

    Args:
        values, step, cuts: the state of the screen.
        hidden, fixed: controls that a teacher hides or locks; a name of no control is left out.
        stated: settings to include even at their defaults, as for locked controls.
    """
    texts = lesson.text(values)
    named = (name for name in (*fixed, *stated) if name in texts)
    changed = lesson.changed(values) | {name: texts[name] for name in named}
    words = {
        "cuts": write_cuts(cuts),
        "hide": ",".join(sorted(texts.keys() & hidden)),
        "fix": ",".join(sorted(texts.keys() & fixed)),
    }
    words = {word: text for word, text in words.items() if text}
    return urlencode({"lesson": lesson.slug, "step": str(step), **changed, **words}, safe=",:")


def spelled(lesson: Lesson, texts: Mapping[str, str]) -> dict[str, str]:
    """Respell the settings as a drag writes them, with a blank after each comma of a list.

    A text that can't be parsed stays unchanged, and its control then refuses it.
    """
    found = dict(texts)
    for one in lesson.lab.parameters:
        with contextlib.suppress(ValueError, OverflowError):
            if one.name in found:
                found[one.name] = one.format(one.parse(found[one.name]))
    return found


def step_controls(lesson: Lesson, step: Step) -> frozenset[str]:
    """Return the controls shown next to a step's stage: the declared ones, or those in its text."""
    if step.controls is not None:
        return frozenset(step.controls)
    text = f"{step.text} {step.turn.text if step.turn else ''}"
    named = {p.name for p in lesson.lab.parameters if f"**{p.label}**" in text}
    return frozenset(named | step.touch.keys() & {p.name for p in lesson.lab.parameters})


def without_hidden(lesson: Lesson, text: str, hidden: Collection[str]) -> str:
    """Remove the tasks that name a hidden control from a step's text.

    Args:
        text: Markdown; each task is a paragraph that names controls by their labels.
    """
    labels = [f"**{p.label}**" for p in lesson.lab.parameters if p.name in hidden]
    kept = (
        part
        for part in text.split("\n\n")
        if not part.startswith((TRY, TURN)) or not any(label in part for label in labels)
    )
    return "\n\n".join(kept)
