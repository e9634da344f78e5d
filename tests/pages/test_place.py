"""What a page asks of a lesson's lab: as the address says, as a step sets it, as it was."""

import pytest

from lessons.outputs.address import spelled
from lessons.outputs.catalogue import find, lessons
from pages.ui.lesson_view import _go
from pages.ui.memory import Trail
from pages.ui.place import END, Place
from tests.support.present import present


def test_an_address_sets_what_it_names_and_nothing_else() -> None:
    given = {"x": "5, 6", "draws": "many", "evil": "<script>", "cuts": "mul:0", "at": "2"}
    place = Place.opened(find("noise_leaks"), given)
    assert (place.text["x"], place.text["draws"]) == ("5, 6", "many")
    assert place.values["x"] == (5.0, 6.0)
    assert place.values["draws"] == 500, "what is refused counts as the default"
    assert (place.cuts, place.graph_step) == ("mul:0", 2)
    assert "evil" not in place.text
    (opening,) = place.as_data()
    assert opening["first"]
    assert opening["values"]["x"] == "5, 6"


def test_a_list_is_spelled_as_a_drag_spells_it_wherever_it_comes_from() -> None:
    lesson = find("the_end")
    place = Place.opened(lesson, {"x": "-2,-1;3 4"})
    assert place.text["x"] == "-2, -1, 3, 4"
    assert lesson.prose.steps[0].lab["x"] == "-2,-1,1"
    for by in (place.go, lambda step, answers: place.order({"x": "-2,-1,1"})):
        by(1, {})
        assert place.as_data()[-1]["values"]["x"] == place.text["x"] == "-2, -1, 1"
    place.order({"x": "-2,,no"})
    assert place.text["x"] == "-2,,no", "what cannot be read stays, for its control to refuse"


@pytest.mark.parametrize("text", ["-1", "x", "٣", "9" * 5000, "3.5", ""])
def test_a_step_that_is_none_opens_at_the_end(text: str) -> None:
    assert Place.opened(find("noise_leaks"), {"at": text}).graph_step is None


def test_a_step_asks_for_what_it_sets_and_leaves_the_rest_to_the_learner() -> None:
    lesson = find("right_place")
    place = Place.opened(lesson, {})
    opening = place.as_data()
    silent = next(n for n, step in enumerate(lesson.prose.steps, start=1) if not step.lab)
    place.go(silent, {})
    assert place.as_data() == opening, "a step that sets nothing asks for nothing"
    place.go(3, {})
    *before, order = place.as_data()
    assert before == opening
    assert (order["values"], order["first"]) == (
        spelled(lesson, lesson.prose.steps[2].lab),
        False,
    )
    place.go(3, {})
    assert len({one["id"] for one in place.as_data()}) == 3, "asked again, it is another order"


def test_a_question_asks_for_all_that_it_is_about() -> None:
    lesson = find("wrong_place")
    step = lesson.prose.steps[1]
    place = Place.opened(lesson, {"dtype": "float32", "draws": "7"})
    place.go(2, {})
    assert place.as_data()[-1]["values"] == lesson.defaults | spelled(lesson, step.lab)
    question = present(step.question)
    before = place.result_before_commit(question)
    assert before.facts["u"] == lesson.asked_about(question).facts["u"]


def test_an_address_does_not_set_what_an_open_question_holds() -> None:
    lesson = find("frozen_checkpoint")
    for answers, since in (({}, "1"), ({"since": "all"}, "2")):
        trail = Trail(step=3, answers=answers)
        assert Place.arrived(lesson, {"since": "2"}, trail).text["since"] == since


def test_the_commit_sets_the_lab_to_the_case_asked_and_mends_what_was_cut() -> None:
    lesson = find("clip_identity")
    number, step = next(
        (n, s) for n, s in enumerate(lesson.prose.steps, 1) if s.question and s.question.reveal
    )
    place = Place.opened(lesson, {"cuts": "mul:0"})
    place.go(number, {})
    question = present(step.question)
    place.reveal(question)
    order = place.as_data()[-1]
    assert order["values"] == lesson.defaults | spelled(lesson, {**step.lab, **question.reveal})
    assert order["cuts"] == ""
    asked = lesson.asked_about(question).facts
    assert place.result_before_commit(question).facts == asked, "the words are about this case"
    place.go(number - 1, {})
    place.go(number, {question.name})
    assert place.as_data()[-1]["values"] == order["values"], "shown again on the way back"


def test_a_step_that_sets_the_lab_mends_what_was_cut_before() -> None:
    """Its text is about its own settings; one that sets nothing leaves the cut."""
    cases = (("two_passes", 4, ""), ("unroll", 4, ""), ("two_passes", 5, "mul:1"))
    for slug, number, cuts in cases:
        place = Place.opened(find(slug), {"cuts": "mul:1"})
        place.go(number, {})
        assert place.cuts == cuts, (slug, number)


def test_revealing_an_answer_ends_no_training() -> None:
    lesson = find("guided_relu")
    question = next(one for one in lesson.prose.questions if one.reveal)
    place = Place.opened(lesson, {})
    place.reveal(question)
    assert place.as_data()[-1]["values"] == question.reveal
    place.reveal(lesson.prose.questions[-1])
    assert len(place.as_data()) == 2


def test_a_reset_gives_the_settings_of_the_step() -> None:
    lesson = find("guided_relu")
    place = Place.opened(lesson, {"randomised": "1", "cuts": "relu:0"})
    place.reset(2)
    assert place.text == lesson.defaults | spelled(lesson, lesson.prose.steps[1].lab)
    assert (place.cuts, place.graph_step) == ("", END)


def test_facts_for_the_text_come_cheaply_where_an_address_asks_for_much() -> None:
    place = Place.opened(find("cliff"), {"path": "200"})
    assert len(place.result.planes["errors"]) < 50


def test_cuts_that_no_edge_has_are_none() -> None:
    place = Place.opened(find("right_place"), {"cuts": "sqrt_1:0,nothing:3"})
    assert place.valid_cuts == (("sqrt_1", 0),)


def test_passing_a_question_leaves_the_lab_as_a_commit_does() -> None:
    """Each question of the course: the next step finds the same, answered or passed."""
    for lesson in lessons():
        for number, step in enumerate(lesson.prose.steps[:-1], start=1):
            if step.question is None or step.question.kind == "bug":
                continue
            ends = []
            for answers in ({step.question.name: "any"}, {}):
                place, trail = Place.opened(lesson, {"cuts": "mul:0"}), Trail(answers=answers)
                place.go(number, {})
                trail.step = number
                if answers:
                    place.reveal(step.question)
                _go(lesson, place, trail, number + 1)
                ends.append((place.text, place.cuts))
            assert ends[0] == ends[1], (lesson.slug, number)


def test_going_back_from_a_question_passes_nothing() -> None:
    lesson = find("right_place")
    place, trail = Place.opened(lesson, {"noise_high": "3"}), Trail(step=2)
    before = place.as_data()
    _go(lesson, place, trail, 1)
    *kept, order = place.as_data()
    assert kept == before
    assert order["values"] == spelled(lesson, lesson.prose.steps[0].lab), "its own settings alone"
