"""Facts in a lesson's text, numbers most of them, that follow the lab and leave the page be.

Each stands in a mark of its own. With every frame goes what the marks say at that moment, and the
lab in the browser puts it there. The text is no live region: nothing is read aloud.
"""

import html
from collections.abc import Collection, Mapping

from lessons.contract.goal import GoalError
from lessons.contract.prose import Step, quoted
from lessons.text.words import written


def by_mark(
    step: Step, answered: Collection[str], facts: Mapping[str, float | int | str]
) -> dict[str, str]:
    """What each mark in a step's text says of these facts, and in replies if they can be seen."""
    texts = [step.text, step.turn.text if step.turn else ""]
    if step.question and step.question.name in answered:
        texts += [option.reply for option in step.question.options]
    return {
        f"{name}:{form}": written(facts[name], form)
        for text in texts
        for name, form in quoted(text)
        if name in facts
    }


def turn(
    step: Step, answered: Collection[str], facts: Mapping[str, float | int | str]
) -> bool | None:
    """Whether the step's task is done; None where these facts don't say, or none is to do yet."""
    if step.turn is None or (step.question and step.question.name not in answered):
        return None
    try:
        return step.turn.goal.is_reached(facts)
    except GoalError:
        return None


def mark(name: str, shown: str) -> str:
    """A fact in the text, marked."""
    text = html.escape(shown, quote=False)
    return f'<span class="gt-number" data-number="{html.escape(name)}">{text}</span>'
