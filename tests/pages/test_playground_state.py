"""The playground's state: what is typed is kept, the last good picture stays, undo, addresses."""

import random

import pytest

from lessons.playground import (
    Document,
    Input,
    Noise,
    Override,
    Plot,
    from_text,
    preset,
    presets,
    to_text,
    to_url,
)
from pages.ui import playground_payload
from pages.ui.history import MOST_STEPS
from pages.ui.playground_controls import groups
from pages.ui.playground_form import form_of, read
from pages.ui.playground_state import FIRST, LARGEST_GRAPH, PlaygroundState
from tests.playground.programs import HOSTILE, HOSTILE_RULES, mutated, valid, wild


@pytest.fixture
def state() -> PlaygroundState:
    state = PlaygroundState()
    state.update()
    assert state.errors == {}
    return state


def change(state: PlaygroundState, live: bool = False, **more: str) -> None:
    state.take(
        {**state.form, **{name.replace("__", "."): text for name, text in more.items()}}, live
    )
    state.update()


def trick(state: PlaygroundState, name: str = "x") -> list[float]:
    return state.outcome.gradients["trick_gradient"][name].tolist()


def opened(**given: str) -> PlaygroundState:
    state = PlaygroundState()
    state.open_address(given)
    state.update()
    return state


@pytest.mark.parametrize("one", presets(), ids=lambda one: one.name)
def test_a_preset_survives_the_form_and_is_known_again(one):
    document, errors = read(form_of(one.document))
    assert errors == {}
    assert document == one.document
    state = opened(preset=one.name)
    assert state.errors == {}
    assert state.address() == {"preset": one.name}
    assert playground_payload.lab(state)["groups"][0]["controls"][0]["value"].split()[0] == one.name


@pytest.mark.parametrize("seed", range(40))
def test_a_form_reads_back_to_the_document_it_was_made_of(seed):
    document = valid(random.Random(seed), tricks=True)
    assert read(form_of(document)) == (document, {})


def test_every_field_of_a_document_has_a_control():
    document = Document(
        (Input("x", ((1.0, 2.0), (3.0, 4.0))), Input("u", noise=Noise("normal", 1, 0.5, 7, "x"))),
        "y = x * u\nz = identity(y)",
        "z",
        (Override("identity", "clip", ("z",)), Override("mul", "grad, grad * in1")),
        Plot("x", -1.5, 2.5, 3),
        "y",
        "float32",
        "A title",
        "A sentence.",
    )
    assert read(form_of(document)) == (document, {})
    state = opened(program=to_url(document))
    shown = {c["name"] for g in groups(state) for c in g["controls"]}
    values = set(form_of(document)) - {"about"}
    # What a given input says of noise, and a drawn one of values, waits out of sight.
    assert {name for name in values if not name.startswith("in.")} <= shown
    assert {"in.x.values", "in.x.entry", "in.u.a", "in.u.b", "in.u.seed", "in.u.like"} <= shown


def test_a_wrong_program_points_at_its_place_and_keeps_picture_and_text(state):
    before = state.outcome
    change(state, program="y = x**2\nz = sqrt(yy)")
    error = state.errors["program"]
    assert (error.line, error.column) == (2, 10)
    assert state.form["program"].endswith("sqrt(yy)")
    assert state.outcome is before
    control = next(c for c in groups(state)[0]["controls"] if c["name"] == "program")
    assert control["mark"] == [2, 10]
    assert control["error"].startswith("Line 2, column 10: ")
    change(state, program="y = x**2\nz = sqrt(y)", intended="")
    assert state.errors == {}
    assert trick(state) == [-1, -1, 1]


@pytest.mark.parametrize(
    ("edit", "control", "words"),
    [
        ({"in__x__values": "1, a"}, "in.x.values", "not a number"),
        ({"in__x__entry": "much"}, "in.x.entry", "not a number"),
        ({"in__u__seed": "-1"}, "in.u.seed", "whole number"),
        ({"in__u__a": "9e99"}, "in.u.a", "beyond"),
        ({"in__u__like": "w"}, "in.u.a", "which is not given"),
        ({"inputs": ""}, "inputs", "one at least"),
        ({"inputs": "x, u, x"}, "inputs", "twice"),
        ({"inputs": "x, u, 9"}, "inputs", "no name"),
        ({"inputs": ", ".join(f"x{i}" for i in range(40))}, "inputs", "at most"),
        ({"override__1__op": "mul"}, "override.1.rule", "Write a rule"),
        ({"override__1__rule": "clip"}, "override.1.op", "Which op type"),
        ({"override__1__op": "Squaer", "override__1__rule": "clip"}, "override.1.op", "quare"),
        ({"override__1__op": "mul", "override__1__rule": "gard"}, "override.1.rule", "grad"),
        ({"override__1__op": "mul", "override__1__rule": "1, 1, 1"}, "override.1.rule", "gives"),
        ({"output": "gone"}, "output", "not given"),
        ({"intended": "gone"}, "intended", "not given"),
        ({"over": "u"}, "over", "drawn"),
        ({"low": "4"}, "low", "smaller"),
        ({"entry": "77"}, "entry", "entries"),
        ({"dtype": "int4"}, "dtype", "number format"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_at_its_control(state, edit, control, words):
    before = state.outcome
    change(state, **edit)
    assert words in state.errors[control].message
    assert state.outcome is before
    assert all(state.form[name.replace("__", ".")] == text for name, text in edit.items())
    said = {c["error"] for g in groups(state) for c in g["controls"]}
    assert any(words in text for text in said if text)


def test_a_slider_moves_its_entry_and_the_list_moves_the_slider(state):
    change(state, in__x__entry="0.5")
    assert state.form["in.x.values"] == "[0.5, -1, 1]"
    change(state, in__x__values="7, 8, 9")
    assert state.form["in.x.entry"] == "7"
    change(state, entry="3")
    assert state.form["in.x.entry"] == "9"
    change(state, in__x__entry="-2")
    assert state.form["in.x.values"] == "[7, 8, -2]"


def test_while_a_slider_is_dragged_the_browsers_older_list_does_not_pull_it_back(state):
    older = dict(state.form)
    for place in ("-1.9", "-1.8", "-1.7"):
        state.take({**older, "in.x.entry": place, "touched": "in.x.entry"}, live=True)
        assert state.form["in.x.values"] == f"[{place}, -1, 1]"
    state.take({**older, "in.x.entry": "-1.7", "touched": "in.u.seed", "in.u.seed": "5"})
    assert (state.form["in.x.entry"], state.form["in.u.seed"]) == ("-1.7", "5")
    assert state.form["in.x.values"] == "[-1.7, -1, 1]"
    state.take({**older, "in.x.entry": "-1.7", "touched": "in.x.values"})
    assert state.form["in.x.values"] == older["in.x.values"]
    assert state.form["in.x.entry"] == "-2"


def test_a_new_input_gets_controls_and_one_taken_out_comes_back_with_its_values(state):
    change(state, inputs="x, u, w", program="y = x * u * w\nclean = y", output="y")
    assert state.form["in.w.is"] == "given"
    change(state, in__w__values="3")
    change(state, inputs="x", program="y = 2 * x\nclean = y")
    assert trick(state) == [2, 2, 2]
    change(state, inputs="x, w", program="y = w * x\nclean = y")
    assert trick(state) == [3, 3, 3]


def test_undo_and_redo_go_back_over_what_rested(state):
    first = state.form
    change(state, live=True, in__u__b="1.2")
    change(state, live=True, in__u__b="1.3")
    change(state, in__u__b="1.4")
    change(state, program="y = x**2\nz = sqrt(y")
    assert state.errors
    assert len(state.history.past) == 2
    act(state, "undo 1")
    assert state.errors == {}
    assert state.form["in.u.b"] == "1.4"
    act(state, "undo 2")
    assert state.form == first
    act(state, "undo 3")
    assert state.form == first
    act(state, "redo 4")
    act(state, "redo 5")
    assert state.form["program"].endswith("sqrt(y")
    assert "program" in state.errors


def act(state: PlaygroundState, word: str) -> None:
    """As the browser sends it: every control as it stands, and the wish."""
    state.take({**state.form, "do": word})
    state.update()


def test_the_same_wish_sent_again_is_done_once(state):
    for b in ("1.2", "1.3"):
        change(state, in__u__b=b)
    act(state, "undo 1")
    state.take({**state.form, "do": "undo 1"})
    assert state.form["in.u.b"] == "1.2"


def test_the_browser_is_told_how_far_its_wishes_have_been_counted(state):
    change(state, in__u__b="1.2")
    act(state, "undo 1")
    act(state, "redo 2")
    (do,) = (c for group in groups(state) for c in group["controls"] if c["name"] == "do")
    assert do["value"] == "redo 2"


@pytest.mark.parametrize("word", [" ", "  1", "undone 1", "go 1", "x" * 5_000, "\x00"])
def test_a_made_up_wish_does_nothing(state, word):
    change(state, in__u__b="1.2")
    before = dict(state.form)
    act(state, word)
    assert state.form == before
    act(state, "undo 1")
    assert state.form != before


def test_a_change_after_undo_forgets_what_was_undone(state):
    change(state, in__u__b="1.2")
    act(state, "undo 1")
    change(state, in__u__b="1.3")
    assert state.history.future == []
    for _ in range(MOST_STEPS + 20):
        state.take({**state.form, "in.u.seed": str(random.randrange(10**6))})
    assert len(state.history.past) == MOST_STEPS


def test_a_preset_is_loaded_and_can_be_undone(state):
    change(state, program="y = x\nclean = y", output="")
    mine = dict(state.form)
    state.take({**state.form, "preset": f"flip {state.offer}"})
    state.update()
    assert state.preset == "flip"
    act(state, "undo 1")
    assert state.form == mine
    assert state.preset == ""


def test_a_choice_that_crossed_with_an_answer_is_no_wish(state):
    """Every change brings the list's value along: the old one must not undo an edit."""
    shown = f"{state.preset} {state.offer}"
    state.take({**state.form, "preset": shown, "program": "y = 3 * x\nclean = y", "output": "y"})
    state.update()
    state.take({**state.form, "preset": shown, "in.u.b": "1.4"})
    state.update()
    assert state.form["program"].startswith("y = 3 * x")
    state.take({**state.form, "preset": f"{FIRST} {state.offer}"})
    state.update()
    assert state.document.program == preset(FIRST).program


def test_the_scissors_rewrite_the_program_and_mend_it(state):
    before = state.form["program"]
    state.take({**state.form, "snip": "mul:1"})
    state.update()
    assert "y * stop_gradient(u)" in state.form["program"]
    assert state.outcome.gradients["trick_gradient"]["u"] is None
    state.take({**state.form, "snip": "mul:1"})
    state.update()
    assert state.form["program"] == before
    assert len(state.history.past) == 2


def test_scissors_in_a_program_that_is_wrong_cut_nothing(state):
    change(state, program="z = sqrt(")
    state.take({**state.form, "snip": "mul:1"})
    assert state.form["program"] == "z = sqrt("
    assert "Mend the error first" in state.said
    for edge in ("nothing:9", "", "mul:x", "a b c", "mul", ":", "mul:99999999999999999999"):
        state.take({**state.form, "snip": edge})


def test_a_graph_that_is_too_large_is_not_drawn_and_that_is_said(state):
    lines = [f"a{i} = sin(a{i - 1})" for i in range(1, LARGEST_GRAPH + 1)]
    change(state, program="\n".join(["a0 = x * 2", *lines]), output="", intended="")
    made = playground_payload.lab(state)
    assert made["graph"] is None
    assert made["figures"]
    assert any("its graph is not drawn" in note["text"] for note in made["notes"])
    change(state, program="\n".join(["a0 = x * 2", *lines[:-1]]))
    assert playground_payload.lab(state)["graph"]["nodes"]


def test_the_drawing_knows_what_is_cut_and_what_has_no_text_to_cut(state):
    change(state, program="y = clamp(x, 0, 2) * stop_gradient(u)\nclean = y", output="y")
    drawn = playground_payload.lab(state)["graph"]
    assert drawn["cuts"] == ["mul:1"]
    cuttable = {edge["id"] for edge in drawn["edges"] if edge["cuttable"]}
    assert cuttable == {"clamp:0", "mul:0", "mul:1"}


def test_minus_zero_is_another_number_than_zero(state):
    change(state, program="y = 1 / x\nclean = y", output="y", in__x__values="0")
    assert state.outcome["forward"].y.tolist() == [float("inf")]
    change(state, in__x__values="-0.0")
    assert state.outcome["forward"].y.tolist() == [-float("inf")]


def test_an_address_restores_program_inputs_and_overrides(state):
    change(
        state,
        program="y = identity(x) * u",
        output="",
        intended="",
        inputs="x, u",
        in__x__values="4, 5",
        in__u__is="normal",
        in__u__seed="8",
        override__1__op="identity",
        override__1__rule="halve",
    )
    assert state.errors == {}
    there = opened(**state.address())
    assert there.good == state.good
    assert there.history.past == []
    assert trick(there) == trick(state)


def test_an_address_keeps_a_program_that_is_wrong(state):
    change(state, program="y = sqrt(x", output="", intended="")
    there = opened(**state.address())
    assert there.form["program"] == "y = sqrt(x"
    assert "program" in there.errors
    assert there.outcome is None
    assert playground_payload.lab(there)["figures"] == []


def test_what_no_address_can_hold_is_said_and_the_document_holds_it(state):
    assert state.address()
    assert not any("address" in note["text"] for note in playground_payload.notes(state))
    chance = random.Random(1)
    values = str([chance.random() for _ in range(900)])
    said = "".join(chr(chance.randrange(0x4E00, 0x9000)) for _ in range(3500))
    program = f"z = x * 2  # {said}"
    change(state, inputs="x", program=program, output="", intended="", in__x__values=values)
    assert state.errors == {}
    assert state.address() == {}
    assert any("download the document" in note["text"] for note in playground_payload.notes(state))
    assert from_text(to_text(state.good)) == state.good


def test_the_page_s_own_address_is_not_taken_for_a_link(state):
    older = state.address()
    change(state, in__u__b="1.4")
    state.open_address(older)
    state.update()
    assert state.form["in.u.b"] == "1.4"
    state.open_address({"preset": "flip"})
    state.update()
    assert state.preset == "flip"
    assert len(state.history.past) == 2


def test_a_link_followed_again_is_told_by_its_number(state):
    assert state.open_address({"preset": "flip", "n": "0"})
    state.update()
    change(state, program="y = x")
    assert not state.open_address({"preset": "flip", "n": "0"})
    assert state.open_address({"preset": "flip", "n": "1"})
    state.update()
    assert state.preset == "flip"


@pytest.mark.parametrize(
    "given",
    [
        {"program": "@@@"},
        {"program": "A" * 100_000},
        {"program": to_url(preset("flip"))[:-9]},
        {"program": ""},
        {"program": "eJwDAAAAAAE"},
        {"preset": "no_such"},
        {"preset": "<script>"},
        {"preset": ""},
        {"preset": "x" * 100_000},
    ],
    ids=lambda given: str(given)[:40],
)
def test_a_hostile_address_is_said_and_what_was_there_stays(given):
    state = opened(**given)
    assert state.preset == FIRST
    assert state.outcome is not None
    assert state.said
    assert len(state.said) < 4000
    assert any(note["text"] == state.said for note in playground_payload.lab(state)["notes"])


@pytest.mark.parametrize(
    "program", [*HOSTILE, "\x00", "\ud800", "x" * 300_000], ids=range(len(HOSTILE) + 3)
)
def test_no_program_breaks_the_page(state, program):
    """Whatever stands in the field: one error in place or a picture, and an address that opens."""
    change(state, program=program, output="", intended="")
    made = playground_payload.lab(state)
    assert made["figures"]
    if "program" not in state.errors and state.errors:
        assert made["notes"]
    opened(**state.address())


@pytest.mark.parametrize("seed", range(60))
def test_no_text_in_any_control_breaks_the_page(seed):
    """Random hostile texts into random controls, several times over; undo leads back."""
    chance = random.Random(seed)
    state = PlaygroundState()
    state.update()
    first = dict(state.form)
    for _ in range(12):
        name = chance.choice(list(state.form))
        text = chance.choice(
            [mutated(chance, state.form[name], 3), chance.choice(HOSTILE_RULES), "x, u, w", "",
             "9" * 60, "x", "mul", "normal", "given", wild(chance).program]
        )  # fmt: skip
        state.take({**state.form, name: text}, live=chance.random() < 0.3)
        state.update()
        playground_payload.lab(state)
        state.address()
    for number in range(len(state.history.past) + 1):
        act(state, f"undo {number}")
    assert {name: state.form[name] for name in first} == first
