"""No training lesson shows the answer to a prediction before the learner has committed to one."""

import math
import re
from typing import Any

import pytest

from lessons.contract.covering import COVERED, covered_figure, covered_table
from lessons.contract.figure import Figure, Table
from lessons.contract.lesson import Lesson
from lessons.contract.stacking import Stack, stacked
from lessons.kit.chart_pieces import covered_with
from lessons.kit.line_names import label
from lessons.outputs.catalogue import find, lessons
from lessons.prose.steps import TRAINING
from lessons.training.under_way import Run
from pages.labs.lesson import frame
from pages.labs.messages import TrainingWish, Wish
from pages.labs.training import Watch
from tests.support.course import another
from tests.support.present import present

TRAINED = [lesson for lesson in lessons() if lesson.lab.training is not None]
PREDICTIONS = [
    pytest.param(lesson, place, id=f"{lesson.slug}-{step.question.name}")
    for lesson in TRAINED
    for place, step in enumerate(lesson.prose.steps, start=1)
    if step.question and step.question.kind != "bug"
]
NUMBER = re.compile(r"\d+(?:\.\d+)?(?: ?%)?")


@pytest.mark.parametrize(("lesson", "place"), PREDICTIONS)
def test_nothing_covered_is_drawn_or_told_while_it_trains(lesson: Lesson, place: int) -> None:
    step = lesson.prose.steps[place - 1]
    hidden = lesson.prose.hidden((), place)
    values = lesson.validate({"seeds": "2", **step.lab} | {"seeds": "2"})
    run = Run(lesson.lab, lesson.program, values)
    run.advance(0.0, values)
    for plain in present(lesson.lab.training).figures(run.history, values):
        figure = covered_figure(plain, hidden)
        seen = [one for one in figure.data if one.get("visible", True) is not False]
        for role in hidden:
            assert f"role:{role}" not in repr(seen)
        if f"{seen}" != f"{plain.data}":
            assert not NUMBER.search(figure.alt.replace(figure.title, ""))
    table = covered_table(present(lesson.lab.training).table(run.history, values), hidden)
    for index, (_, covers) in enumerate(table.columns):
        assert covers not in hidden or {row[index] for row in table.rows} == {"?"}


@pytest.mark.parametrize("lesson", TRAINED, ids=lambda lesson: lesson.slug)
def test_before_the_first_step_no_title_has_a_number_and_no_chart_is_empty(lesson: Lesson) -> None:
    given = {"seeds": "2"} if "seeds" in lesson.defaults else {}
    watch = Watch(lesson, Wish(lab=lesson.slug, values=given, step=99), TrainingWish())
    before = watch.picture()["figures"]
    watch.take(Wish(lab=lesson.slug, values=given, step=99), TrainingWish(phase="run"))
    watch.advance(0.0)
    for first, later in zip(before, watch.picture()["figures"], strict=True):
        assert not NUMBER.search(first["title"])
        assert first["title"] != later["title"]
        for spec, empty in ((first, True), (later, False)):
            over_steps = spec["figure"]["layout"]["xaxis"].get("title", {}).get("text") == "step"
            assert ("Start draws the lines" in str(spec["figure"]["data"])) == (
                over_steps and empty
            )


@pytest.mark.parametrize(("lesson", "place"), PREDICTIONS)
def test_what_is_held_does_not_move_whatever_a_browser_sends(lesson: Lesson, place: int) -> None:
    step = lesson.prose.steps[place - 1]
    held = {name for name in present(step.question).holds if name != TRAINING}
    values = lesson.validate(step.lab)
    moved = [one for one in lesson.lab.parameters if one.name in held]
    others = {one.name: one.format(another(one, values[one.name])) for one in moved}
    sent = {**step.lab, **others, **({"seeds": "2"} if "seeds" in lesson.defaults else {})}
    asked = Wish(lab=lesson.slug, values=sent, step=place)
    free = asked.model_copy(update={"answers": [present(step.question).name]})
    shown = frame(asked)["form"]
    assert {name: shown[name] for name in held} == {name: step.lab[name] for name in held}
    shown = frame(free)["form"]
    assert {name: shown[name] for name in held} == others
    if TRAINING not in present(step.question).holds:
        return
    watch = Watch(lesson, asked, TrainingWish(phase="run"))
    watch.take(asked, TrainingWish(phase="run", begun=3))
    assert not watch.wants
    spec = watch.picture()["training"]
    assert (spec["done"], spec["state"], spec["held"]) == (0, "ready", True)
    assert "question first" in spec["text"]
    watch.take(free, TrainingWish(phase="run", begun=3))
    watch.advance(0.0)
    assert watch.picture()["training"]["done"] > 0
    watch.take(asked, TrainingWish(phase="run", begun=3))
    assert watch.picture()["training"]["done"] == 0, "an earlier run tells as much"


def drawn(*colours: str) -> Figure:
    data = [{"line": {"color": colour}} for colour in colours]
    return Figure("one", "A chart", "What to look at: 3 lines.", "It ends at 0.5.", data, {})


@pytest.mark.parametrize(
    ("colours", "seen"),
    [
        (["role:forward", "ink:muted"], [True, True]),
        (["role:forward", "role:trick_gradient/0.25", "ink:muted"], [True, False, True]),
        (["role:trick_gradient", "ink:muted"], [False, False]),
    ],
)
def test_the_traces_of_a_hidden_role_go_and_a_chart_of_no_other(
    colours: list[str], seen: list[bool]
) -> None:
    plain = drawn(*colours)
    figure = covered_figure(plain, frozenset({"trick_gradient"}))
    assert [one.get("visible", True) for one in figure.data] == seen
    assert (figure is plain) == all(seen)
    assert figure.caption == (plain.caption if any(seen) else "")
    told = [note["text"] for note in figure.layout.get("annotations", ())]
    assert told == ([] if all(seen) else [COVERED])
    assert figure.alt == (plain.alt if all(seen) else f"A chart. {COVERED}")


def test_the_axis_of_a_covered_row_does_not_tell_how_large_what_it_covers_is() -> None:
    lesson, axes = find("flip"), []
    for scale in ("1", "3"):
        values = lesson.validate({"scale": scale})
        figure, *_ = lesson.figures(lesson.compute(values), values, lesson.prose.hidden((), 2))
        axes.append(figure.layout["yaxis"]["range"])
    assert axes[0] == axes[1]


def test_the_axis_of_a_run_does_not_tell_where_a_covered_line_goes() -> None:
    lesson = find("collapse")
    values = lesson.validate({"seeds": "2", "steps": "50"})
    run = Run(lesson.lab, lesson.program, values)
    run.advance(math.inf, values)
    hidden = lesson.prose.hidden((), 1)
    low, lower = (
        present(lesson.lab.training).figures(one, values)[0].layout["yaxis"]["range"][0]
        for one in (run.history.without(hidden), run.history)
    )
    assert lower < low


def test_a_step_without_a_question_names_the_step_whose_answer_uncovers() -> None:
    prose = find("noise_leaks").prose
    asking = next(n for n, one in enumerate(prose.steps, 1) if one.question)
    assert [prose.opens((), step) for step in (1, asking)] == [asking, 0]
    whole = drawn("role:forward", "role:trick_gradient")
    (note,) = covered_figure(whole, frozenset({"trick_gradient"}), 2).layout["annotations"]
    assert note["text"] == f"{COVERED} in step 2"


def test_a_column_of_a_hidden_role_is_covered() -> None:
    table = Table("", (("", None), ("a", "forward"), ("b", "noise")), (("x", "1", "2"),))
    assert covered_table(table, frozenset({"noise"})).rows == (("x", "1", "?"),)


def test_an_empty_chart_does_not_say_why_until_it_is_uncovered() -> None:
    empty = Figure("chart", "Finite in no draw", "", "Finite in no draw.", [], {}, subject="Draws")
    covered = covered_figure(empty, frozenset({"trick_gradient"}))
    assert (covered.title, covered.alt) == ("Draws", f"Draws. {COVERED}")
    assert covered_figure(empty, frozenset()) == empty


def test_a_trace_is_covered_with_what_it_tells_of_and_the_names_left_close_up() -> None:
    def name(role: str, end: float) -> dict[str, Any]:
        return label(role, role, 1.0, end) | {"stack": Stack(end, 100.0, 0.0, 100.0)}

    names = stacked([name("true_gradient", 50.0), name("trick_gradient", 50.0)])
    data = [*names, covered_with(label("noise", "tells", 0.0, 0.0), "trick_gradient")]
    whole = Figure("chart", "Found", "", "", data, {}, subject="Asked")
    assert names[0]["y"] != [50.0]
    shown = covered_figure(whole, frozenset({"trick_gradient"})).data
    assert [one["visible"] for one in shown] == [True, False, False]
    assert shown[0]["y"] == [50.0], "its place must not tell where the covered line ends"


def test_a_table_that_tells_in_its_caption_has_another_one_until_then() -> None:
    table = Table("None ran", (("op", None), ("by", "trick_gradient")), (("mul", "1"),), "What ran")
    assert covered_table(table, frozenset({"trick_gradient"})).caption == "What ran"
    assert covered_table(table, frozenset({"noise"})) == table


def test_an_answer_does_not_uncover_what_an_open_question_before_it_asks() -> None:
    prose = find("two_players").prose
    first, second = (one for one in prose.questions if "trick_gradient" in one.hides)
    assert "trick_gradient" in prose.hidden([second.name], 1)
    assert "trick_gradient" not in prose.hidden([first.name], 1)
