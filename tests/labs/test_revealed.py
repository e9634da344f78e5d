"""After a commit the lab shows the case that was asked about, and what the verdict names in it."""

import math
from functools import cache

import pytest

from lessons.contract.prose import TRAINING
from lessons.contract.verdict import compared, names
from lessons.outputs.catalogue import find, lessons
from pages.labs.lesson import frame
from pages.labs.messages import Wish
from pages.labs.wire import encode

ASKED = [
    pytest.param(
        lesson.slug,
        question.name,
        id=f"{lesson.slug}-{question.name}",
        marks=[pytest.mark.slow] if lesson.lab.training else [],
    )
    for lesson in lessons()
    for question in lesson.prose.questions
    if question.kind != "bug"
]
EACH = pytest.mark.parametrize(("slug", "name"), ASKED)


def asked(slug, name):
    """The lesson and the question."""
    lesson = find(slug)
    return lesson, next(one for one in lesson.prose.questions if one.name == name)


@cache
def verdict(slug, name):
    """These, the right answer, which may take a training, and the facts that the verdict quotes."""
    lesson, question = asked(slug, name)
    result = lesson.asked_about(question)
    return lesson, question, lesson.right(question, result), result.facts


def seen(lesson, question, committed):
    """The lab's frame as the question is asked, or once it is answered."""
    step = lesson.step_of(question)
    values = lesson.defaults | step.lab | (question.reveal if committed else {})
    number = lesson.prose.steps.index(step) + 1
    answered = [one.name for one in lesson.prose.questions if one != question]
    answered += [question.name] if committed else []
    return frame(
        Wish(lab=lesson.slug, values=values, good={}, step=number, answers=answered, cuts="")
    )


def in_sight(shown):
    """The part of a frame that a learner sees change: no times, no address."""
    parts = ("key", "figures", "table", "notes", "graph")
    errors = [one["error"] for group in shown["groups"] for one in group["controls"]]
    return encode({part: shown[part] for part in parts} | {"errors": errors})


def pointed_out(shown):
    """What is marked in its charts and its table, as texts."""
    layouts = [figure["figure"]["layout"] for figure in shown["figures"]]
    called = [one for layout in layouts for one in layout.get("annotations", ())]
    called = [one for one in called if one["text"].startswith("asked: ")]
    texts = [one["text"].removeprefix("asked: ") for one in called]
    for one, text in zip(called, texts, strict=True):
        assert math.isclose(one["y"], number(text), rel_tol=6e-3, abs_tol=1e-9), "its own point"
    if place := shown["table"].get("asked"):
        texts.append(shown["table"]["rows"][place[0]][place[1]])
    return texts


def number(text):
    return float(text.replace("−", "-").replace(",", "").replace("∞", "inf"))


@EACH
def test_the_number_of_the_verdict_is_in_the_lab_or_drawn_under_the_verdict(slug, name):
    lesson, question = asked(slug, name)
    elsewhere = name == "transfer" or question.computed  # another program than the lab's
    if lesson.lab.training and not elsewhere:
        return  # a run shows it
    _, _, right, facts = verdict(slug, name)
    drawn = compared(question, right, right, facts)
    numbers = [facts[fact] for fact, _ in names(question, right)]
    if elsewhere:
        assert drawn, "nothing is to be seen of it: say what with `computed:`"
        assert all(one.computed and one.text for one in drawn)
    elif numbers:
        texts = pointed_out(seen(lesson, question, committed=True))
        assert texts, (
            f"Neither chart nor table shows {numbers} after the commit. In the text, below "
            f"`predict: {name}`, either set the lab to a case that shows it, as in "
            "<!-- reveal: place=outside -->, or have it drawn under the verdict: "
            f"<!-- computed: what it is {{{{ {names(question, right)[0][0]}:.3g }}}} -->"
        )
        known = [float(one) for one in numbers if not isinstance(one, str)]
        assert any(math.isclose(number(texts[0]), one, rel_tol=6e-3, abs_tol=1e-9) for one in known)
        assert all(math.isclose(number(text), number(texts[0]), rel_tol=6e-3) for text in texts)


@EACH
def test_the_commit_changes_what_is_in_sight(slug, name):
    lesson, question = asked(slug, name)
    if TRAINING in question.holds:
        return  # what is held starts to run
    _, _, right, facts = verdict(slug, name)
    if compared(question, right, right, facts):
        return  # it is drawn under the verdict
    if question.reveal and lesson.lab.training:
        assert question.reveal.keys() <= lesson.lab.training.live, "it would end a run"
        return  # the run shows it
    before, after = (in_sight(seen(lesson, question, committed)) for committed in (False, True))
    assert before != after, "hide the role that it asks for, or say `reveal:` or `computed:`"


def test_nothing_is_pointed_out_once_the_learner_has_moved_on():
    lesson, question, _, _ = verdict("flip", "twice")
    values = lesson.defaults | lesson.step_of(question).lab | question.reveal
    shown = {"lab": "flip", "step": 4, "answers": [question.name]}
    assert pointed_out(frame(Wish(values=values, **shown)))
    assert not pointed_out(frame(Wish(values=values | {"scale": "1"}, **shown)))
    assert not pointed_out(frame(Wish(values=values, cuts="mul:0", **shown)))
