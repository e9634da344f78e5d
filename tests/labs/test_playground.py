"""The playground's lab: what is typed is kept, the last good picture stays, addresses, scissors."""

import random

import pytest

from lessons.playground.codegen.program_file import code as program_file
from lessons.playground.document.as_text import from_text, to_url
from lessons.playground.document.contents import Document, Input, Noise, Override, Plot
from lessons.playground.document.form import Form, form_of, read
from lessons.playground.document.presets import preset, presets
from lessons.playground.document.words import WORDS as DOCUMENT
from pages.labs import playground
from pages.labs.messages import Wish
from pages.labs.playground import FIRST, frame, shown, state
from pages.labs.playground_controls import groups
from pages.labs.playground_state import LARGEST_GRAPH, State
from pages.labs.wire import encode
from pages.ui.playground_view import asked
from tests.playground.programs import HOSTILE
from tests.playground.said import said
from tests.support.folded import folded


class Tab:
    """A browser's tab: it keeps the form, and the last one that was good."""

    def __init__(self, form: Form | None = None) -> None:
        self.form = form or form_of(preset(FIRST))
        self.good: Form = {}
        self.send()

    def send(self, touched: str = "", do: str = "", **more: str) -> State:
        # What no text can hold a browser replaces before it sends it.
        texts = {
            name.replace("__", "."): text.encode("utf-8", "replace").decode()
            for name, text in more.items()
        }
        asked = {"values": self.form | texts, "good": self.good, "do": do}
        now = state(Wish(lab="playground", touched=[touched] if touched else [], **asked))
        if not now.errors:
            self.good = now.form
        self.form, self.shown = now.form, now
        return now


@pytest.fixture
def tab() -> Tab:
    tab = Tab()
    assert tab.shown.errors == {}
    return tab


def trick(now: State, name: str = "x") -> list[float]:
    return now.outcome.gradients["trick_gradient"][name].tolist()


def arrived(**given: str) -> Tab:
    return Tab(asked(given)[0]["values"])


@folded("one", presets(), ids=lambda one: one.name)
def test_a_preset_survives_the_form_and_is_known_again(one):
    document, errors = read(form_of(one.document))
    assert errors == {}
    assert document == one.document
    tab = arrived(preset=one.name)
    assert tab.shown.errors == {}
    assert tab.shown.address() == {"preset": one.name}
    made = shown(tab.shown)
    assert made["groups"][0]["controls"][0]["value"] == one.name


def test_the_code_can_be_read_and_taken_home():
    code = frame(Wish(lab="playground", open=["code"]))["code"]
    assert [*code["panes"]] == ["torch"]
    assert code["files"]["playground_in_torch.py"] == program_file(preset(FIRST))
    assert from_text(code["files"]["playground.txt"]) == preset(FIRST)


def test_every_field_of_a_document_has_a_control():
    document = Document(
        (Input("x", ((1.0, 2.0), (3.0, 4.0))), Input("u", noise=Noise("normal", 1, 0.5, 7, "x"))),
        "y = x * u\nz = identity(y)",
        "z",
        (Override("identity", "clip", ("z",)), Override("mul", "grad, grad * in1")),
        Plot("x", -1.5, 2.5, 3),
        *("y", "float32", "A title", "A sentence."),
    )
    assert read(form_of(document)) == (document, {})
    tab = arrived(program=to_url(document))
    # What a given input says of noise, and a drawn one of values, waits out of sight.
    fields = {name for name in form_of(document) if name[:3] != "in."} - {"about"}
    fields |= {"in.x.values", "in.x.entry", "in.u.a", "in.u.b", "in.u.seed", "in.u.like"}
    assert fields <= {c["name"] for g in groups(tab.shown) for c in g["controls"]}


@pytest.mark.parametrize(
    ("edit", "control", "words"),
    [
        ({"in__x__values": "1, a"}, "in.x.values", said("not_a_number")),
        ({"in__x__entry": "much"}, "in.x.entry", said("not_a_number")),
        ({"in__u__seed": "-1"}, "in.u.seed", said("no_whole_number", "“-1”")),
        ({"in__u__a": "9e99"}, "in.u.a", said("wide_noise")),
        ({"in__u__like": "w"}, "in.u.a", said("like_no_input", "w")),
        ({"inputs": ""}, "inputs", said("no_inputs")),
        ({"inputs": "x, u, x"}, "inputs", said("input_twice")),
        ({"override__1__op": "mul"}, "override.1.rule", DOCUMENT("no_rule")),
        ({"override__1__rule": "clip"}, "override.1.op", DOCUMENT("no_op")),
        ({"override__1__op": "Squaer", "override__1__rule": "clip"}, "override.1.op",
         said("no_op_type_near", "square")),
        ({"override__1__op": "mul", "override__1__rule": "gard"}, "override.1.rule",
         said("no_name_in_rule", "gard")),
        ({"output": "gone"}, "output", said("no_line_gives", "gone")),
        ({"intended": "gone"}, "intended", said("no_line_gives", "gone")),
        ({"over": "u"}, "over", said("plot_over_noise", "u")),
        ({"low": "4"}, "low", said("plot_range")),
        ({"entry": "77"}, "entry", said("no_entry", "77")),
        ({"dtype": "int4"}, "dtype", said("no_dtype", "int4")),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_at_its_control(tab, edit, control, words):
    before = tab.shown.outcome
    (name,) = list(edit)[-1:]
    now = tab.send(touched=name.replace("__", "."), **edit)
    assert words == now.errors[control].message
    assert now.outcome is before
    assert all(now.form[name.replace("__", ".")] == text for name, text in edit.items())
    notice = {c["error"] for g in groups(now) for c in g["controls"]}
    assert any(words == text for text in notice if text)


def test_a_slider_moves_its_entry_and_the_list_moves_the_slider(tab):
    def moved(touched, text):
        return tab.send(touched=touched, **{touched.replace(".", "__"): text}).form

    assert moved("in.x.entry", "0.5")["in.x.values"] == "[0.5, -1, 1]"
    assert moved("in.x.values", "7, 8, 9")["in.x.entry"] == "7"
    assert moved("entry", "3")["in.x.entry"] == "9"
    assert moved("in.x.entry", "-2")["in.x.values"] == "7, 8, -2"


def test_of_a_slider_and_its_list_the_one_touched_last_counts_whatever_came_after():
    form = form_of(preset(FIRST)) | {"in.x.entry": "1.7", "low": "-1"}

    def values(*touched):
        asked = Wish(lab="playground", values=form, touched=list(touched))
        return state(asked).form["in.x.values"]

    assert values("in.x.entry", "low") == "[1.7, -1, 1]"
    assert values("in.x.values", "in.x.entry") == "[1.7, -1, 1]"
    assert values("in.x.entry", "in.x.values") == form["in.x.values"]


def test_a_new_input_gets_controls_and_one_taken_out_comes_back_with_its_values(tab):
    now = tab.send(inputs="x, u, w", program="y = x * u * w\nclean = y", output="y")
    assert now.form["in.w.is"] == "given"
    tab.send(in__w__values="3", touched="in.w.values")
    now = tab.send(inputs="x", program="y = 2 * x\nclean = y")
    assert trick(now) == [2, 2, 2]
    now = tab.send(inputs="x, w", program="y = w * x\nclean = y")
    assert trick(now) == [3, 3, 3]


def test_a_preset_is_loaded_by_choosing_it_and_by_nothing_else(tab):
    tab.send(program="y = x\nclean = y", output="", touched="program")
    assert tab.shown.preset == ""
    shown = tab.send(preset="flip", touched="in.u.b", in__u__b="1.4")
    assert shown.document.program == "y = x\nclean = y", "the list's older value is no wish"
    assert tab.send(preset="flip", touched="preset").preset == "flip"
    form = dict(tab.form)
    assert tab.send(preset="", touched="preset").form == form
    assert "no_such" in tab.send(preset="no_such", touched="preset").notice


def test_the_title_of_a_preset_goes_once_the_program_is_another(tab):
    assert tab.form["title"] == preset(FIRST).title
    assert tab.send(program="y = x\nclean = y", output="").form["title"] == ""
    assert tab.send(title="Mine", program="y = 2 * x\nclean = y").form["title"] == "Mine"


def test_scissors_cut_nothing_in_a_program_that_is_wrong_or_where_no_edge_is(tab):
    for edge in ("nothing:9", "", "mul:x", "a b c", "mul", ":", "mul:99999999999999999999"):
        assert said("no_edge") == tab.send(do=f"snip {edge}").notice
    tab.send(program="z = sqrt(")
    assert tab.send(do="snip mul:1").form["program"] == "z = sqrt("


def test_a_graph_that_is_too_large_is_not_drawn_and_that_is_said(tab):
    lines = [f"a{i} = sin(a{i - 1})" for i in range(1, LARGEST_GRAPH + 1)]
    now = tab.send(program="\n".join(["a0 = x * 2", *lines]), output="", intended="")
    made = shown(now)
    assert made["graph"] is None
    assert made["figures"]
    assert any("too many to draw its graph" in note["text"] for note in made["notes"])
    now = tab.send(program="\n".join(["a0 = x * 2", *lines[:-1]]))
    assert shown(now)["graph"]["nodes"]


def test_the_drawing_knows_what_is_cut_and_what_has_no_text_to_cut(tab):
    now = tab.send(program="y = clamp(x, 0, 2) * stop_gradient(u)\nclean = y", output="y")
    drawn = shown(now)["graph"]
    assert drawn["cuts"] == ["mul:1"]
    cuttable = {edge["id"] for edge in drawn["edges"] if edge["cuttable"]}
    assert cuttable == {"clamp:0", "mul:0", "mul:1"}


def test_minus_zero_is_another_number_than_zero(tab):
    asked = {"program": "y = 1 / x\nclean = y", "output": "y", "touched": "in.x.values"}
    now = tab.send(**asked, in__x__values="0")
    assert now.outcome["forward"].y.tolist() == [float("inf")]
    now = tab.send(**asked, in__x__values="-0.0")
    assert now.outcome["forward"].y.tolist() == [-float("inf")]


def test_what_no_address_can_hold_is_said_and_the_document_holds_it(tab):
    def warned(now):
        return any("download the document" in note["text"] for note in shown(now)["notes"])

    assert tab.shown.address()
    assert not warned(tab.shown)
    chance = random.Random(1)
    values = str([chance.random() for _ in range(900)])
    notice = "".join(chr(chance.randrange(0x4E00, 0x9000)) for _ in range(3500))
    given = {"inputs": "x", "output": "", "intended": "", "in__x__values": values}
    now = tab.send(program=f"z = x * 2  # {notice}", touched="in.x.values", **given)
    assert now.errors == {}
    assert now.address() == {}
    assert warned(now)
    code = frame(Wish(lab="playground", values=now.form, open=["code"]))["code"]
    whole = code["files"]["playground.txt"]
    assert from_text(whole) == now.document


@folded("program", [*HOSTILE, "\x00", "\ud800", "x" * 190_000], ids=ascii)
def test_no_program_breaks_the_lab(program):
    """Whatever stands in the field: one error in place or a picture, and an address that opens."""
    tab = Tab()
    now = tab.send(program=program, output="", intended="", touched="program")
    made = shown(now)
    assert made["graph"] or made["figures"]
    if "program" not in now.errors and now.errors:
        assert made["notes"]
    encode(frame(Wish(lab="playground", values=tab.form, good=tab.good)))
    arrived(**now.address())


@pytest.mark.parametrize(
    "values",
    [{"": ""}, {"inputs": ""}, {"in.x.is": "given"}, {"in.x.is": "?", "in.u.a": "1"},
     {"inputs": "x, x"}, {"program": "y = ("}],
)  # fmt: skip
@pytest.mark.parametrize("good", [{}, {"inputs": "q"}])
def test_a_form_that_lacks_texts_shows_only_the_controls_that_it_has_texts_of(values, good):
    shown = frame(Wish(lab="playground", values=values, good=good))
    assert not shown["accepted"]
    names = {one["name"] for group in shown["groups"] for one in group["controls"]}
    assert {"program", "inputs"} <= names
    assert names - {"preset", "do"} <= shown["form"].keys()


def test_goals_are_looked_at_for_the_program_and_not_for_where_x_is(tab, monkeypatch):
    def met(**texts):
        shown = frame(Wish(lab="playground", values=tab.form | texts, touched=["program"]))
        return [one["name"] for one in shown["goals"] if one["value"] and one["gradient"]]

    assert met() == []
    assert met(program="y = straight_through(round)(x)") == ["round"]

    def looked(checked):
        raise AssertionError("it was looked at again")

    monkeypatch.setattr(playground, "looked_at", looked)
    moved = {"program": "y = straight_through(round)(x)", "in.x.values": "[0.3, 5, 7]"}
    assert met(**moved) == ["round"]

    broken = tab.form | {"program": "y = straight_through(round)(x"}
    shown = frame(Wish(lab="playground", values=broken, good=tab.form))
    assert not any(one["value"] or one["gradient"] for one in shown["goals"])
