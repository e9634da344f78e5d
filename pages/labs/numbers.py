"""Facts in a lesson's text, numbers most of them, that follow the lab and leave the page be.

Each stands in a mark of its own. With every frame goes what the marks say at that moment, and the
lab in the browser puts it there. The text is no live region: nothing is read aloud.
"""

import html
from collections.abc import Collection, Mapping

from lessons.contract.prose import Step, quoted, written


def by_mark(
    step: Step, answered: Collection[str], facts: Mapping[str, float | int | str]
) -> dict[str, str]:
    """What each mark in a step's text says of these facts, and in replies if they can be seen."""
    texts = [step.text]
    if step.question and step.question.name in answered:
        texts += [option.reply for option in step.question.options]
    return {
        f"{name}:{form}": written(facts[name], form)
        for text in texts
        for name, form in quoted(text)
        if name in facts
    }


def mark(name: str, shown: str) -> str:
    """A fact in the text, marked."""
    text = html.escape(shown, quote=False)
    return f'<span class="gt-number" data-number="{html.escape(name)}">{text}</span>'
