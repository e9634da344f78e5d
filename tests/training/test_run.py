"""A run makes the steps it is asked for, remembers a bounded part, and leaves nothing behind."""

import gc
import math
from dataclasses import replace

import numpy as np
import pytest

from lessons.contract.history import MOST_MOMENTS, History, Snapshot
from lessons.contract.settings import Settings
from lessons.training.under_way import PICTURES, Run
from tests.support.present import present
from tests.training.counting import COUNTING, VALUES, Counter, Program, clock_of_steps, program

pytestmark = pytest.mark.slow


def new(**other: float) -> Run:
    return Run(COUNTING, program, VALUES | other)


def looks_of(run: Run) -> list[tuple[int, bool]]:
    """The steps at which the counter was looked at, and whether its picture was drawn."""
    assert isinstance(run._learner, Counter)
    return run._learner.looks


def test_a_run_makes_no_step_until_asked() -> None:
    run = new()
    assert (run.done, run.state, len(run.history)) == (0, "ready", 1)
    assert run.history.facts["count"] == 2.0  # the mean of 1, 2, 3


def test_the_facts_at_first_are_a_runs_own_and_kept_where_no_setting_moves_that_was_read() -> None:
    begun: list[Settings] = []

    def begin(program: Program, values: Settings) -> Counter:
        begun.append(values)
        return Counter(program, values)

    training = replace(present(COUNTING.training), begin=begin)
    assert training.facts_at_first(program, VALUES) == new().history.facts
    moved = training.facts_at_first(program, VALUES | {"pace": 5.0, "steps": 7})
    assert (moved["count"], moved["steps"], len(begun)) == (2.0, 7, 1)
    more = training.facts_at_first(program, VALUES | {"seeds": 5})
    assert (more["count"], len(begun)) == (3.0, 2)  # the mean of 1 to 5


def test_a_run_makes_all_steps_and_no_more() -> None:
    run = new()
    run.advance(math.inf, VALUES)
    run.advance(math.inf, VALUES)
    assert (run.done, run.state) == (1000, "done")
    facts = run.history.facts
    assert (facts["count"], facts["count_lowest"], facts["count_highest"]) == (1002, 1001, 1003)
    assert (facts["step"], facts["steps"]) == (1000, 1000)


def test_a_run_stops_between_steps_when_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = clock_of_steps(monkeypatch)
    run = new(seconds=0.01)
    run.advance(0.05, VALUES | {"seconds": 0.01})
    assert 0.05 <= clock() < 0.07
    assert 1 <= run.done <= 6
    assert run.history.done == run.done, "the last step made is the one that is seen"


def test_a_run_computes_only_pictures_that_are_kept_or_shown() -> None:
    run, given = new(), VALUES | {"steps": 1000}
    looks = looks_of(run)
    for _ in range(7):  # every fifth step is kept
        run.advance(math.inf, given, most=2)
    assert looks == [(0, False), (5, False), (10, False)]
    del looks[:]
    assert run.history.latest.picture["shown"] == 15.0
    assert run.history.done == 14
    assert looks == [(14, True)]
    run.look(given)
    run.look(given)
    assert looks == [(14, True)]
    assert (run.history.done, looks) == (14, [(14, True), (14, True)])


def test_a_live_setting_counts_from_the_next_step_on() -> None:
    run = new()
    run.advance(math.inf, VALUES, most=10)
    faster = VALUES | {"pace": 5.0}
    assert run.fits(faster)
    assert not run.fits(VALUES | {"seeds": 4})
    run.advance(math.inf, faster, most=10)
    assert run.history.facts["count"] == 2 + 10 + 50


@pytest.mark.parametrize("steps", [1, 7, 199, 200, 1001, 20_000])
def test_the_pictures_of_a_run_are_bounded_and_its_last_step_is_one(steps: int) -> None:
    run = new(steps=steps)
    run.advance(math.inf, VALUES | {"steps": steps})
    looks = [done for done, _ in looks_of(run)]
    assert len(run.history) <= min(len(looks), MOST_MOMENTS)
    assert len(looks) <= 2 * PICTURES + 1
    assert run.history.done == looks[-1] == steps


def test_a_history_stays_bounded_however_much_it_is_given() -> None:
    history = History(10**6)
    for done in range(5 * MOST_MOMENTS):
        history.add(done, Snapshot({"n": np.array([float(done)])}))
        assert len(history) <= MOST_MOMENTS
    series = history.series("n", "forward")
    assert series.x[0] == 0
    assert series.x[-1] == 5 * MOST_MOMENTS - 1
    assert np.array_equal(series.x, series.y)


def test_seeds_that_blow_up_are_told_and_left_out() -> None:
    history = History(1)
    history.add(0, Snapshot({"a": np.array([1.0, np.nan, 3.0]), "b": np.array([1.0, 2.0, np.inf])}))
    assert history.facts["a"] == 2.0
    (note,) = history.notes()
    assert "In 2 of 3 seeds" in note.text


def test_a_hundred_abandoned_runs_leave_no_memory() -> None:
    gc.collect()
    alive = Counter.alive
    for _ in range(100):
        run = new()
        run.advance(0.0, VALUES)
        del run
    gc.collect()
    assert Counter.alive == alive
