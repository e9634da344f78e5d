"""What a page does with the wishes that come from a browser, for a training that costs nothing."""

import gc
import math
import threading
from dataclasses import replace

import pytest
import streamlit as st

from lessons import find
from lessons.training import Snapshot
from lessons.training.seats import LAPSE, Seats
from pages.ui import live
from pages.ui.lab_state import LabState
from pages.ui.training import Asked, Watch, leave, read, show
from tests.training.counting import COUNTING, VALUES, Counter, program

MOONS = find("moons")
LESSON = replace(MOONS, program=program, lab=replace(MOONS.lab, training=COUNTING))
LONG = VALUES | {"steps": 10**6, "seconds": 0.005}


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def new(seats=None):
    return Watch(LESSON, Seats(2, Clock()) if seats is None else seats)


def test_nothing_runs_before_it_is_asked_for():
    run = new().update(LONG, None)
    assert (run.done, run.state) == (0, "ready")


def test_a_message_makes_a_slice_and_no_message_makes_none():
    watch = new()
    watch.update(LONG, Asked("run"))
    run = watch.update(LONG, Asked("run"))
    done = run.done
    assert 2 <= done < 100
    assert watch.update(LONG, None).done == done
    assert run.state == "running"


def test_pause_one_step_and_go_on():
    watch = new()
    done = watch.update(LONG, Asked("run")).done
    assert watch.update(LONG, Asked("pause")).state == "paused"
    run = watch.update(LONG, Asked("pause", single=1))
    assert (run.done, run.state) == (done + 1, "paused")
    assert watch.update(LONG, Asked("pause", single=1)).done == done + 1, "asked for once"
    assert watch.update(LONG, Asked("run", single=1)).done > done + 1


def test_stop_lets_the_networks_go_and_training_again_begins_anew():
    gc.collect()
    before = Counter.alive
    watch = new()
    watch.update(LONG, Asked("run"))
    run = watch.update(LONG, Asked("stop"))
    assert run.state == "stopped"
    assert Counter.alive == before
    again = watch.update(LONG, Asked("run", begun=1))
    assert again is not run
    assert 0 < again.done <= run.done + 100


def test_a_setting_that_cannot_change_midway_begins_a_new_run_that_goes_on():
    watch = new()
    first = watch.update(LONG, Asked("run"))
    second = watch.update(LONG | {"seeds": 5}, Asked("run"))
    assert second is not first
    assert second.seeds == 5
    assert second.done > 0


@pytest.mark.parametrize("reach", [True, False])
def test_an_edge_cut_begins_a_new_run_where_it_is_cut_in_what_is_trained(reach):
    training = replace(COUNTING, cuts=reach)
    lesson = replace(LESSON, lab=replace(LESSON.lab, training=training))
    watch = Watch(lesson, Seats(2, Clock()))
    first = watch.update(LONG, Asked("run"))
    assert watch.update(LONG, Asked("run"), cuts=()) is first
    run = watch.update(LONG, Asked("run"), cuts=(("flip_gradient", 0),))
    assert (run is not first) == reach
    assert run.done > 0, "it goes on"
    assert watch.update(LONG, None, cuts=(("flip_gradient", 0),)) is run
    assert (watch.update(LONG, None, cuts=()) is not run) == reach


def test_what_is_trained_is_cut_as_the_graph_is():
    watch = Watch(MOONS, Seats(2, Clock()))
    given = MOONS.validate({"seeds": "2", "schedule": "fixed"})
    run = watch.update(given, Asked("pause", single=1), cuts=(("flip_gradient", 0),))
    assert run.history.facts["trick_label_loss"] == run.history.facts["source_only_label_loss"]
    run = watch.update(given, Asked("pause", single=2), cuts=())
    assert run.done == 1
    whole = run.history.facts["trick_domain_loss"]
    assert whole != run.history.facts["source_only_domain_loss"]


def test_a_live_setting_does_not():
    watch = new()
    first = watch.update(LONG, Asked("run"))
    assert watch.update(LONG | {"pace": 9.0}, Asked("run")) is first


def test_a_hand_on_a_slider_sees_the_next_step_at_once_and_the_rest_goes_on():
    watch = new()
    done = watch.update(LONG, Asked("run")).done
    moved = LONG | {"pace": 9.0}
    assert watch.update(moved, Asked("run")).done == done + 1
    assert watch.update(moved, Asked("run")).done > done + 2


def test_a_newer_wish_cuts_the_slice_short(monkeypatch):
    monkeypatch.setattr(live, "newer_waits", lambda: True)
    run = new().update(LONG, Asked("run"))
    assert run.done == run.history.done == 1


def test_the_end_is_told_once(monkeypatch):
    monkeypatch.setattr("pages.ui.training.SLICE", 60.0)  # three steps, on a busy machine too
    watch = new()
    short = VALUES | {"steps": 3}
    assert watch.update(short, Asked("run")).state == "done"
    assert watch.ended
    watch.update(short, Asked("run"))
    assert not watch.ended


def test_who_comes_third_waits_and_is_told_so():
    clock = Clock()
    seats = Seats(2, clock)
    watches = [new(seats) for _ in range(4)]
    runs = [watch.update(LONG, Asked("run")) for watch in watches]
    assert [run.done > 0 for run in runs] == [True, True, False, False]
    told = [watch.spec(run) for watch, run in zip(watches, runs, strict=True)]
    assert [one["state"] for one in told] == ["running", "running", "queued", "queued"]
    assert "1 run is before yours" in told[2]["text"]
    assert "2 runs are before yours" in told[3]["text"]
    watches[0].update(LONG, Asked("pause"))
    assert watches[2].update(LONG, Asked("run")).done > 0
    assert watches[3].update(LONG, Asked("run")).done == 0


@pytest.mark.parametrize("how", ["left", "silent"])
def test_who_leaves_makes_room_within_a_second(how):
    clock = Clock()
    seats = Seats(1, clock)
    first, second = new(seats), new(seats)
    first.update(LONG, Asked("run"))
    assert second.update(LONG, Asked("run")).done == 0
    if how == "left":
        first.close()
    else:
        clock.now += LAPSE + 0.01
    assert second.update(LONG, Asked("run")).done > 0
    assert LAPSE <= 1.0


@pytest.mark.parametrize("how", ["closed", "dropped"])
def test_a_hundred_left_behind_leave_no_thread_and_no_growth(how):
    gc.collect()
    clock = Clock()
    alive, threads, seats = Counter.alive, threading.active_count(), Seats(200, clock)
    for _ in range(100):
        watch = new(seats)
        watch.update(LONG, Asked("pause", single=1))
        watch.update(LONG | {"seconds": 0.0, "steps": 3}, Asked("run"))
        if how == "closed":
            watch.close()
    del watch
    clock.now += LAPSE + 0.01
    gc.collect()
    assert len(seats) == 0
    seats.leave("nobody")
    with seats.turn("the next"):  # forgets whoever went without a word
        gc.collect()
        assert Counter.alive == alive
    assert threading.active_count() == threads


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"train_phase": "fly", "train_begun": "1", "train_single": "1"},
        {"train_phase": "run", "train_begun": "-1", "train_single": "1"},
        {"train_phase": "run", "train_begun": "1" * 40, "train_single": "1"},
        {"train_phase": "run", "train_begun": "١", "train_single": "0"},
        {"train_phase": "run", "train_begun": "", "train_single": "0"},
    ],
)
def test_what_is_not_as_it_should_be_makes_no_step(values):
    assert read(values) == Asked("pause", 0, 0)


def test_a_wish_is_read():
    given = {"train_phase": "run", "train_begun": "2", "train_single": "3"}
    assert read(given) == Asked("run", 2, 3)


def test_the_facts_of_the_run_take_the_place_of_those_at_the_start():
    watch = new()
    run = watch.update(VALUES, Asked("pause", single=1))
    result = MOONS.compute(MOONS.validate({}))
    told = watch.told(result, run)
    assert (told.facts["step"], result.facts["step"]) == (1, 0)
    assert told.notes == result.notes


class Bursting(Counter):
    """Its numbers are finite at the start and too large after one step."""

    def step(self, done, values):
        self.numbers = self.numbers * math.inf

    def look(self, done, values):
        return Snapshot({"count": self.numbers.copy()})


def test_what_is_said_of_a_training_that_is_gone_is_gone(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    given = {"begin": lambda program, values: Bursting(program, values | {"pace": 1.0})}
    lesson = replace(MOONS, lab=replace(MOONS.lab, training=replace(COUNTING, **given)))
    state = LabState(lesson)
    shown = {"figures": []}

    def lab(asked=None):
        state.update(lambda values: (MOONS.compute(values), 0.0))
        show(state, asked, shown, frozenset(), held=False)
        said = [note["text"] for note in state.notes() if "∞ or NaN" in note["text"]]
        return state.picture.facts["step"], len(said)

    assert lab() == (0, 0)
    assert lab(Asked("pause", single=1)) == (1, 1)
    assert lab() == (1, 1), "said once"
    leave()
    assert lab() == (0, 0), "a new training, and nothing of the old one"
    assert lab(Asked("pause", single=2)) == (1, 1)
