"""A wish, read and checked once for all that use it."""

from dataclasses import dataclass

from lessons.contract.lesson import Lesson
from lessons.contract.settings import Settings
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.outputs.address import spelled
from lessons.prose.steps import Step
from pages.labs.messages import Wish


@dataclass(frozen=True)
class Visit:
    """What a wish asks of a lesson, checked.

    Args:
        wish, lesson: what is asked of which lesson.
        place, step: the number of the step, and the step.
        text, errors: the text that each control shows, and the refusals by parameter.
        asked, values: the settings, and those to compute with: cheaper ones during a drag.
        cuts, refusal: the edges to cut that the graph has, and what to say of the others.
        held: the controls that wait for an answer.
        hidden: the roles that open questions hide.
        opens: the number of the later step whose question first shows them; 0 for this step's.
    """

    wish: Wish
    lesson: Lesson
    place: int
    step: Step
    text: dict[str, str]
    errors: dict[str, str]
    asked: Settings
    values: Settings
    cuts: tuple[Cut, ...]
    refusal: str
    held: tuple[str, ...]
    hidden: frozenset[str]
    opens: int


def visited(lesson: Lesson, wish: Wish) -> Visit:
    """Read all that a wish says of a lesson.

    Raises:
        RefusedTextError: a text is refused, and the wish has no good text to use instead.
    """
    place = min(wish.step, len(lesson.prose.steps))
    step = lesson.prose.steps[place - 1]
    held = step.held(wish.answers)
    hidden = frozenset() if wish.uncovered else lesson.prose.hidden(wish.answers, place)
    quizzed = [spelled(lesson, case).items() for case in step.quiz]
    own = {
        name: text
        for name, text in spelled(lesson, step.lab).items()
        if name in held and not any((name, wish.values.get(name)) in case for case in quizzed)
    }
    text, asked, errors = lesson.settings({**wish.values, **own}, wish.good)
    cuts, refusal = lesson.cuts_in(wish.cuts, asked)
    return Visit(
        wish=wish,
        lesson=lesson,
        place=place,
        step=step,
        text=text,
        errors=errors,
        asked=asked,
        values=lesson.lab.preview(asked) if wish.moving else asked,
        cuts=cuts,
        refusal=refusal,
        held=held,
        hidden=hidden,
        opens=lesson.prose.opens(wish.answers, place),
    )
