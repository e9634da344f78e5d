"""What a lab does with the wishes that come from a browser, for a training that costs nothing."""

import gc
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import pytest
import torch

from lessons.contract.lab import Lab
from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Device, Integer, Number, Parameter
from lessons.contract.settings import Settings
from lessons.contract.training import Training
from lessons.outputs.catalogue import find
from pages.labs.messages import TrainingWish, Wish
from pages.labs.training import Watch
from pages.labs.words import WORDS
from tests.support.present import present
from tests.training.counting import COUNTING, Counter, Program, clock_of_steps, program, settings_of

MOONS = find("moons")
PARAMETERS = (
    Integer("steps", "1000000", low=1, high=10**6),
    Integer("seeds", "3", low=1, high=40),
    Number("pace", "1", low=0.0, high=9.0, in_run="steps"),
    Number("seconds", "0.005", "Seconds", low=0.0, high=9.0),
)


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    clock_of_steps(monkeypatch)


def lesson_of(
    parameters: Sequence[Parameter] = PARAMETERS, training: Training[Any] | None = COUNTING.training
) -> Lesson:
    prose = replace(MOONS.prose, steps=(MOONS.prose.steps[2],))
    lab: Lab[Any] = replace(
        MOONS.lab,
        words=COUNTING.words,
        settings=settings_of(*parameters),
        training=training,
        check=lambda v: {},
    )
    return replace(MOONS, program=program, lab=lab, prose=prose)


LESSON = lesson_of()


def wish(cuts: str = "", **values: Any) -> Wish:
    return Wish(lab="moons", cuts=cuts, values={n: str(v) for n, v in values.items()})


def new(asked: TrainingWish | None = None, lesson: Lesson = LESSON, **values: Any) -> Watch:
    return Watch(lesson, wish(**values), asked or TrainingWish())


def go(watch: Watch, seconds: float = 0.02) -> int:
    """As the process does that holds it; says how many steps there are then."""
    if watch.wants:
        watch.advance(seconds)
    return done(watch)


def to_the_end(watch: Watch) -> None:
    while watch.wants:
        watch.advance(60.0)
        watch.fresh = False  # it was seen


def done(watch: Watch) -> int:
    return watch.picture()["training"]["done"]


def state(watch: Watch) -> str:
    return watch.picture()["training"]["state"]


RUN = TrainingWish(phase="run")


def test_training_again_begins_a_new_run() -> None:
    gc.collect()
    alive = Counter.alive
    watch = new(RUN, steps=5)
    go(watch, 10.0)
    assert (state(watch), watch.wants) == ("done", False)
    run = watch.picture()["training"]["run"]
    watch.take(wish(), TrainingWish(phase="run", begun=1))
    assert 0 < go(watch) <= 100
    assert watch.picture()["training"]["run"] != run
    assert Counter.alive == alive + 1, "the networks of the run before are gone"


@pytest.mark.parametrize("phase", ["run", "pause"])
def test_another_seed_is_seen_of_a_run_that_is_over_or_paused(
    phase: Literal["run", "pause"],
) -> None:
    given = {"seeds": "2", "steps": "3"}
    watch = Watch(MOONS, Wish(lab="moons", step=3, values=given), RUN)
    go(watch, 0.0)
    if phase == "run":
        to_the_end(watch)
    seen = []
    for more in ({}, {"shown": "2"}):
        watch.take(Wish(lab="moons", step=3, values=given | more), TrainingWish(phase=phase))
        seen.append(present(watch._run).history.latest.picture["seed"].tolist())
    assert seen[0] != seen[1]
    assert done(watch) == (3 if phase == "run" else 1)


def test_a_setting_that_changed_on_the_way_is_named_with_the_step() -> None:
    watch = new(RUN, steps=50, seconds=0.002)

    def said() -> str:
        return watch.picture()["training"]["text"]

    before = go(watch, 0.0)
    assert "Pace" not in said()
    watch.take(wish(steps=50, seconds=0.002, pace=9), TrainingWish())
    assert said().endswith(WORDS("changed", step=before, names="Pace"))
    watch.take(wish(steps=50, seconds=0.002), TrainingWish())
    assert "Pace" not in said(), "it was set back before a step was made with it"
    watch.take(wish(steps=50, seconds=0.002, pace=9), RUN)
    middle = go(watch, 0.01)
    assert said().endswith(WORDS("changed", step=before, names="Pace"))
    watch.take(wish(steps=50, seconds=0.002), RUN)
    to_the_end(watch)
    assert (state(watch), done(watch)) == ("done", 50)
    assert said().endswith(WORDS("changed", step=middle, names="Pace"))
    watch.take(wish(steps=50, seconds=0.002), TrainingWish(phase="run", begun=1))
    assert "Pace" not in said()


def test_a_live_setting_is_seen_after_one_step_and_any_other_begins_a_new_run_that_goes_on() -> (
    None
):
    watch = new(RUN)
    before = go(watch, 0.1)
    watch.take(wish(pace=9), RUN)
    assert watch.fresh
    assert go(watch, 0.0) == before + 1
    assert go(watch) > before + 2
    watch.take(wish(seeds=5), RUN)
    assert done(watch) == 0
    assert 0 < go(watch) < before
    assert "5 seeds" in watch.picture()["status"]


@pytest.mark.parametrize("trained", [True, False])
def test_a_run_that_is_over_keeps_its_picture_only_while_it_is_of_these_settings(
    trained: bool,
) -> None:
    pace = replace(PARAMETERS[2], in_run="steps" if trained else "looks")
    watch = new(RUN, lesson_of((*PARAMETERS[:2], pace, *PARAMETERS[3:])), steps=5)
    go(watch, 10.0)
    watch.take(wish(steps=5), TrainingWish())
    assert done(watch) == 5
    watch.take(wish(steps=5, pace=9), TrainingWish())
    assert (done(watch), state(watch)) == ((0, "ready") if trained else (5, "done"))


def test_a_run_that_is_over_comes_back_with_its_settings_unless_another_made_steps() -> None:
    watch = new(RUN, steps=5)
    go(watch, 10.0)
    name = watch.picture()["training"]["run"]

    def stands(asked: TrainingWish | None = None, **values: Any) -> tuple[int, str, bool]:
        watch.take(wish(**{"steps": 5, **values}), asked or TrainingWish())
        spec = watch.picture()["training"]
        return spec["done"], spec["state"], spec["run"] == name

    for other in ({"pace": 9}, {"pace": 8, "seeds": 5}, {"seeds": 4}):
        assert stands(None, **other) == (0, "ready", False)
    assert stands() == (5, "done", True)
    assert present(watch._run).history.facts["count"] == 7.0
    assert stands(TrainingWish(begun=1)) == (0, "ready", False), "it is wanted anew"
    assert stands(RUN.model_copy(update={"begun": 1}))[0] == 0
    go(watch, 10.0)
    stands(RUN.model_copy(update={"begun": 1}), pace=9)
    assert go(watch, 0.0) == 1
    assert stands()[:2] == (1, "paused"), "a run under way takes the setting up"


def test_a_run_that_is_over_shows_no_answer_once_a_question_holds_it() -> None:
    def asks(step: int) -> Wish:
        return Wish(lab="moons", step=step, values={"seeds": "1", "steps": "2"})

    watch = Watch(MOONS, asks(3), RUN)
    watch.advance(60.0)
    for step in (3, 2, 3):
        watch.take(asks(step), TrainingWish())
    assert (done(watch), state(watch)) == (0, "ready")


def test_start_is_offered_where_a_run_is_in_sight_or_the_text_says_to_start() -> None:
    def offered(slug: str, step: int, *opened: str, asked: TrainingWish | None = None) -> bool:
        given = {"seeds": "1", "steps": "2"}
        wish = Wish(lab=slug, step=step, values=given, open=[*opened])
        picture = Watch(find(slug), wish, asked or TrainingWish()).picture()
        return picture["training"]["offered"]

    assert [offered("cliff", n) for n in (1, 2, 3, 4, 5)] == [False, False, True, False, False]
    assert offered("cliff", 1, "shares")
    assert offered("cliff", 1, "table")
    assert offered("cliff", 1, asked=RUN), "what runs can be paused"
    assert offered("collapse", 3), "the graph is cut there, and the numbers are in the text"


@pytest.mark.parametrize("reach", [True, False])
def test_an_edge_cut_begins_a_new_run_where_it_is_cut_in_what_is_trained(reach: bool) -> None:
    training = replace(present(MOONS.lab.training), cuts=reach)
    lesson = replace(MOONS, lab=replace(MOONS.lab, training=training))
    given = {"seeds": "2", "schedule": "fixed", "steps": "50"}
    watch = Watch(lesson, Wish(lab="moons", values=given, step=3), RUN)
    before = go(watch, 0.0)
    watch.take(Wish(lab="moons", values=given, step=3, cuts="flip_gradient:0"), RUN)
    assert (done(watch) == 0) == reach
    assert go(watch, 0.0) == (1 if reach else before + 1)
    facts = present(watch._run).history.facts
    same = facts["trick_label_loss"] == facts["source_only_label_loss"]
    assert same == reach, "cut as the graph is"


@pytest.mark.parametrize("when", ["at once", "later"])
def test_a_device_without_memory_is_left_for_the_cpu_and_the_learner_is_told(when: str) -> None:
    """As a device shared by many is: full now, and perhaps not the next time."""
    full = True

    class Full(Counter):
        def step(self, done: int, values: Settings) -> None:
            if full and values["device"] != "cpu" and done == 3:
                raise torch.OutOfMemoryError("CUDA out of memory")
            super().step(done, values)

    def begin(program: Program, values: Settings) -> Counter:
        if full and when == "at once" and values["device"] != "cpu":
            raise torch.OutOfMemoryError("CUDA out of memory")
        return Full(program, values)

    parameters = (*PARAMETERS, Device("device", "cpu", "Device"))
    lesson = lesson_of(parameters, replace(present(COUNTING.training), begin=begin))
    watch = new(RUN, lesson, device="cuda")
    for _ in range(4):
        go(watch)
    notes = [note["text"] for note in watch.picture()["notes"]]
    assert any("cuda has no memory left" in note for note in notes)
    assert done(watch) > 3
    watch.take(wish(device="cuda", pace=2), RUN)  # a live change begins nothing anew
    before = done(watch)
    assert before > 3
    full = False
    watch.take(wish(device="cuda"), RUN.model_copy(update={"begun": 1}))
    for _ in range(4):
        go(watch)
    assert done(watch) > 3
    assert not watch.picture()["notes"]


def test_a_task_of_a_setting_and_of_what_was_trained_is_done() -> None:
    values = {"target": "open", "steps": "101", "seeds": "1"}
    wishes = [
        Wish(lab="collapse", step=3, values=values, cuts=cuts)
        for cuts in ("", "cosine:1,cosine_1:1")
    ]
    for one, is_done in zip(wishes, (False, True), strict=True):
        watch = Watch(find("collapse"), one, RUN)
        to_the_end(watch)
        assert watch.picture()["turn"] is is_done
