"""The glossary: two sentences a term, and links only where running text uses a term first."""

import re
from collections.abc import Iterator

import pytest

from lessons.contract.lesson import Lesson
from lessons.outputs import glossary
from lessons.outputs.catalogue import lessons
from lessons.outputs.glossary import first_uses, lessons_of, terms, uses
from pages.ui.glossed import linked

ALL = frozenset(term.slug for term in terms())


def test_the_lessons_are_searched_for_a_term_once_and_not_at_every_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [lessons_of(term) for term in terms()]
    monkeypatch.setattr(glossary, "_whole", lambda lesson: pytest.fail("searched again"))
    assert [lessons_of(term) for term in terms()] == found


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_term_is_linked_once_a_lesson_where_it_first_occurs(lesson: Lesson) -> None:
    seen: set[str] = set()
    for step, allowed in zip(lesson.prose.steps, first_uses(lesson.slug), strict=True):
        found = [term.slug for _, _, term in uses(step.text, ALL)]
        assert not allowed & seen
        assert set(found) - seen <= allowed
        seen |= set(found)
        text = linked(step.text, allowed)
        plain = re.sub(r'<a class="gt-term".*?>|</a>', "", text)
        assert plain == step.text


@pytest.mark.parametrize(
    "text",
    [
        "`upstream gradient`",
        "$upstream gradient$",
        "$$\nupstream gradient\n$$",
        "```python\nupstream gradient\n```",
        "[upstream gradient](https://example.com)",
        "{{ softmax:.3g }}",
        "# softmax",
        "the softmaxes, pre-softmax, softmax_grad",
    ],
)
def test_code_maths_links_and_parts_of_words_are_left_alone(text: str) -> None:
    assert linked(text, ALL) == text


def test_a_link_carries_its_definition_and_the_longest_spelling_wins() -> None:
    text = linked("A **gradient reversal layer** sees the upstream\ngradient of $x$.", ALL)
    assert ">gradient reversal layer</a>" in text
    assert ">upstream\ngradient</a>" in text
    assert text.count("<a ") == 2


def read_in_order() -> Iterator[tuple[str, str, bool]]:
    """What is read of the whole course: each text with its place, and whether terms are linked."""
    for lesson in lessons():
        for step in lesson.prose.steps:
            yield f"{lesson.slug}, {step.title}", step.text, True
            for option in step.question.options if step.question else ():
                yield f"{lesson.slug}, {step.title}, {option.key}", option.text, False
                yield f"{lesson.slug}, {step.title}, {option.key}", option.reply, True
            if step.turn:
                yield f"{lesson.slug}, {step.title}, the task", step.turn.text, False


def met_first() -> dict[glossary.Term, tuple[str, bool]]:
    """Where one meets each term first: the place, and whether it is linked there."""
    found: dict[glossary.Term, tuple[str, bool]] = {}
    for place, text, is_linked in read_in_order():
        for _, _, term in uses(text, ALL):
            found.setdefault(term, (place, is_linked))
    return found


def test_a_term_is_linked_where_one_meets_it_first() -> None:
    places = met_first().items()
    unlinked = [f"{place}: “{term.name}”" for term, (place, is_linked) in places if not is_linked]
    assert not unlinked, "first in an answer, without a link:\n" + "\n".join(unlinked)


def test_the_name_of_a_site_is_no_term() -> None:
    (overflow,) = (term for term in terms() if term.name == "overflow")
    assert not overflow.pattern.search("Stack Overflow, question 1")
    assert overflow.pattern.search("an Overflow at 65504")
