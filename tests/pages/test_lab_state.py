"""What a lab keeps when input is bad, work is stopped, or the learner drags."""

import pytest

from lessons import find
from pages.ui.lab_state import LabState


@pytest.fixture
def state() -> LabState:
    state = LabState(find("noise_leaks"))
    state.update(run_of(state))
    return state


def run_of(state: LabState):
    return lambda values: (state.lesson.compute(values), 0.001)


class GaveWay(BaseException):
    """As st.rerun ends a run from inside."""


def gives_way(values):
    raise GaveWay


def test_bad_text_keeps_the_last_picture_and_says_where(state):
    before = state.result
    state.text["x"] = "a, b"
    state.update(run_of(state))
    assert state.result is before
    assert list(state.errors) == ["x"]
    assert state.text["x"] == "a, b"
    state.text["x"] = "5"
    state.update(run_of(state))
    assert state.errors == {}
    assert state.picture["forward"].x.tolist() == [5.0]


def test_dragging_draws_less_and_letting_go_draws_all(state):
    state.text["draws"] = "5000"
    state.update(run_of(state), live=True)
    assert state.preview
    assert state.values["draws"] < 5000
    assert any("fewer draws" in note["text"] for note in state.notes())
    state.update(run_of(state), live=False)
    assert not state.preview
    assert state.values["draws"] == 5000


def test_nothing_changed_computes_nothing(state):
    state.update(lambda values: pytest.fail("computed again"))


def test_a_whole_picture_stays_whole_where_a_live_message_changes_nothing(state):
    state.text["draws"] = "5000"
    state.update(run_of(state))
    state.update(lambda values: pytest.fail("computed again"), live=True)
    assert not state.preview
    assert state.values["draws"] == 5000


def test_stopped_work_is_not_started_again_until_something_changes(state):
    before = state.result
    state.text["draws"] = "900000"
    with pytest.raises(GaveWay):
        state.update(gives_way)
    state.halt()
    state.update(lambda values: pytest.fail("started again"))
    assert state.result is before
    assert any("Stopped" in note["text"] for note in state.notes())
    state.text["draws"] = "20"
    state.update(run_of(state))
    assert state.values["draws"] == 20
    assert not any("Stopped" in note["text"] for note in state.notes())


def test_work_that_gave_way_to_a_newer_wish_is_not_called_stopped(state):
    state.text["draws"] = "900000"
    with pytest.raises(GaveWay):
        state.update(gives_way)
    assert not any("Stopped" in note["text"] for note in state.notes())
    calls = []
    state.update(lambda values: calls.append(values) or run_of(state)(values | {"draws": 1}))
    assert [values["draws"] for values in calls] == [900000]


def test_the_first_picture_is_there_even_if_it_is_stopped():
    state = LabState(find("noise_leaks"))
    state.open_address({"draws": "1000000"})
    with pytest.raises(GaveWay):
        state.update(gives_way)
    state.halt()
    state.update(run_of(state))
    assert state.picture.facts["draws"] < 10_000
    assert any("Stopped" in note["text"] for note in state.notes())
    state.update(lambda values: pytest.fail("started again"))


def test_an_address_with_bad_parts_keeps_the_good_ones():
    state = LabState(find("noise_leaks"))
    state.open_address({"x": "5, 6", "draws": "many", "noise_low": "9", "evil": "<script>"})
    state.update(run_of(state))
    assert state.values["x"] == (5.0, 6.0)
    assert state.values["draws"] == 500
    assert state.text["draws"] == "many"
    assert {"draws", "noise_low"} <= set(state.errors)
    assert any("evil" in note["text"] for note in state.notes())


def test_reset_restores_the_defaults_and_tells_the_browser(state):
    state.text |= {"x": "9", "noise_high": "1.7"}
    state.update(run_of(state))
    before = state.reset
    state.set(state.lesson.text(state.lesson.validate({})))
    state.update(run_of(state))
    assert state.values == state.lesson.validate({})
    assert state.reset == before + 1


def opened(**given: str) -> LabState:
    state = LabState(find("right_place"))
    state.open_address(given)
    state.update(run_with_cuts(state))
    return state


def run_with_cuts(state: LabState):
    return lambda values: (state.lesson.compute(values, cuts=state.cuts), 0.001)


def test_an_address_cuts_edges_and_says_which_step():
    state = opened(cuts="sqrt_1:0,mul:0", at="2")
    assert state.drawn == (("mul", 0), ("sqrt_1", 0))
    assert state.at == 2
    assert not state.picture["trick_gradient"].y.any()
    assert state.notes() == []


@pytest.mark.parametrize("cuts", ["nothing:0,sqrt_1:0", "sqrt_1:0,mul:7"])
def test_cuts_that_name_no_edge_are_dropped_and_named(cuts):
    state = opened(cuts=cuts)
    assert state.drawn == (("sqrt_1", 0),)
    assert any("No edge to cut at" in note["text"] for note in state.notes())


@pytest.mark.parametrize(("name", "text"), [("cuts", "<script>"), ("cuts", "x" * 9999)])
def test_hostile_cuts_cut_nothing_and_say_so(name, text):
    state = opened(**{name: text})
    assert state.drawn == ()
    assert any("No edge is cut" in note["text"] for note in state.notes())


@pytest.mark.parametrize("at", ["-1", "x", "٣", "9" * 5000, "3.5", ""])
def test_a_step_that_is_none_opens_at_the_end(at):
    state = opened(at=at)
    assert state.at is None


def test_a_cut_computes_again_and_mending_restores_it():
    state = opened()
    before = state.picture["trick_gradient"].y.tolist()
    state.take({"cuts": "sqrt_1:0"})
    state.update(run_with_cuts(state))
    assert not state.picture["trick_gradient"].y.any()
    assert [edge.name for edge in state.recording.edges if edge.cut] == ["sqrt_1:0"]
    state.set(state.lesson.defaults, "", 3)
    state.update(run_with_cuts(state))
    assert state.picture["trick_gradient"].y.tolist() == before
    assert state.at == 3


def test_an_edge_can_be_cut_while_other_text_is_refused():
    state = opened()
    state.take({"x": "a, b", "cuts": "sqrt_1:0"})
    state.update(run_with_cuts(state))
    assert list(state.errors) == ["x"]
    assert state.drawn == (("sqrt_1", 0),)


def test_a_step_that_says_nothing_of_cuts_keeps_them():
    state = opened(cuts="mul:0")
    state.set({"x": "5"})
    state.update(run_with_cuts(state))
    assert state.drawn == (("mul", 0),)
    assert state.at is None


def test_a_cut_that_the_program_cannot_run_with_is_mended_and_said():
    state = LabState(find("second_derivative"))
    state.open_address({"cuts": "pow:0", "order": "2"})
    state.update(run_with_cuts(state))
    assert state.drawn == ()
    assert any("cannot run" in note["text"] for note in state.notes())
