"""The playground's lab: what is typed is kept, the last good picture stays, addresses, scissors."""

import random

import pytest

from lessons.playground.document.as_text import IMPORTS, from_text, packed, to_text
from lessons.playground.document.contents import Document, Input, Noise, Override
from lessons.playground.document.gestures import OWN_RULE, Form, form_of
from lessons.playground.document.presets import Preset, preset, presets
from lessons.playground.language.limits import MAX_DRAWN
from pages.labs.messages import Wish
from pages.labs.playground import FIRST, build_frame, frame, seconds, state
from pages.labs.playground_controls import groups
from pages.labs.playground_state import State
from pages.labs.wire import encode
from pages.ui.playground_view import order_from_address
from tests.playground.programs import HOSTILE
from tests.playground.said import said
from tests.support.folded import folded
from tests.support.present import present

MAP = 'with gradient_override_map({"mul": lambda op, grad: (grad, grad)}):\n'


class Tab:
    """A browser's tab: it keeps the form, and the last one that was good."""

    def __init__(self, form: Form | None = None) -> None:
        self.form = form or form_of(preset(FIRST))
        self.good: Form = {}
        self.send()

    @property
    def text(self) -> str:
        return self.form["program"]

    def send(self, touched: str = "", text: str = "", do: str = "", **more: str) -> State:
        # What no text can hold a browser replaces before it sends it.
        texts = {name.replace("__", "."): given for name, given in more.items()}
        texts |= {touched: text.encode("utf-8", "replace").decode()} if touched else {}
        values, names = self.form | texts, [touched] if touched else []
        now = state(Wish(lab="playground", values=values, good=self.good, do=do, touched=names))
        if not now.errors:
            self.good = now.form
        self.form, self.shown = now.form, now
        return now


@pytest.fixture
def tab() -> Tab:
    tab = Tab()
    assert tab.shown.errors == {}
    return tab


def arrived(**given: str) -> Tab:
    return Tab(order_from_address(given)[0]["values"])


@folded("one", presets(), ids=lambda one: one.name)
def test_a_preset_survives_the_form_and_is_known_again(one: Preset) -> None:
    tab = arrived(preset=one.name)
    assert tab.shown.errors == {}
    assert tab.shown.address() == {"preset": one.name}
    made = build_frame(tab.shown)
    assert made["groups"][0]["controls"][0]["value"] == one.name


def test_the_code_can_be_read_and_taken_home() -> None:
    code = present(frame(Wish(lab="playground", open=["code"]))["code"])
    assert [*code["panes"]] == ["torch"]
    assert code["files"] == {"playground.py": f"{IMPORTS}\n{to_text(preset(FIRST))}"}


def test_each_part_of_a_document_is_in_its_text_and_each_input_has_controls() -> None:
    document = Document(
        (
            Input("x", ((1.0, 2.0), (3.0, 4.0)), low=-1.5, high=2.5),
            Input("u", noise=Noise("normal", 1, 0.5, 7, "x")),
        ),
        "y = x * u\nz = identity(y)",
        "z",
        (Override("mul", "grad, grad * in1"), Override("identity", "-grad", ("z",))),
        *("x", 3, "y", "float32"),
    )
    tab = arrived(program=packed(to_text(document)))
    assert to_text(tab.shown.document) == to_text(document)
    assert tab.form.keys() <= {c["name"] for g in groups(tab.shown) for c in g["controls"]}


@pytest.mark.parametrize(
    ("control", "text", "words"),
    [
        ("in.x.values", "1, a", said("not_a_number")),
        ("in.x.entry", "much", said("not_a_number")),
        ("in.u.seed", "-1", said("no_whole_number", "“-1”")),
        ("in.u.ends", "1, 9e99", said("wide_noise")),
        ("in.u.ends", "1.1, 0.9", said("noise_ends_first")),
        ("in.u.ends", "0.9", said("no_ends")),
        ("rule", "gard", said("no_name_in_rule", "gard")),
    ],
)
def test_what_is_wrong_is_said_at_its_control(
    tab: Tab, control: str, text: str, words: said
) -> None:
    before = present(tab.shown.computed).outcome
    now = tab.send(control, text)
    assert words == now.errors[control].message
    assert present(now.computed).outcome is before
    assert now.form[control] == text
    assert any(words == c["error"] for g in groups(now) for c in g["controls"] if c["error"])


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("x**2", "x**(", 3, said("not_closed_in_line")),
        ("(y)", "(w)", 6, said("no_name_nor_input")),
        ("[-2, -1, 1]", "[1, a]", 1, said("not_a_number")),
        ("seed=0", "seed=-1", 2, said("no_noise")),
        ("like=x", "like=w", 2, said("like_no_input", "w")),
        ("z, x", "gone, x", 7, said("no_line_gives", "gone")),
        ("clean)", "gone)", 7, said("no_line_gives", "gone")),
        ("z, x", "z, u", 7, said("plot_over_noise", "u")),
        ("clean)", "clean, entry=77)", 7, said("no_entry", "77")),
        ("])", "], range=(4, 3))", 1, said("plot_range")),
        ("x = i", "torch.set_default_dtype(torch.int8)\nx = i", 1, said("no_dtype", "int8")),
        (
            "y = x",
            MAP.replace(", grad)", ", gard)") + "    y = x",
            3,
            said("no_name_in_rule", "gard"),
        ),
    ],
)
def test_what_is_wrong_in_the_text_is_said_at_its_line(
    tab: Tab, old: str, new: str, line: int, words: said
) -> None:
    before, text = present(tab.shown.computed).outcome, tab.text.replace(old, new)
    now = tab.send("program", text)
    assert words == now.errors["program"].message
    assert now.errors["program"].line == line
    assert present(now.computed).outcome is before
    assert now.form["program"] == text


def test_statements_alone_keep_their_map_and_get_the_inputs_that_were_there(tab: Tab) -> None:
    now = tab.send("program", f"# Mine\n{MAP}    y = x * u\nz = sqr(y)")
    assert (now.errors["program"].line, now.errors["program"].column) == (4, 5)
    inputs = "\n".join(tab.good["program"].split("\n")[:2])
    statements = f"{MAP}    y = x * u\nshow(y, x)"
    assert tab.send("program", statements).form["program"] == f"{inputs}\n{statements}"
    tab.send("program", f"# Mine\n{tab.text.replace('1])', '1], range=(0, 1))')}")
    kept = tab.text.split("u =")[0]
    assert kept.startswith("# Mine\nx = input([-2, -1, 1], range=(0, 1))")
    assert tab.send("program", "y = F.silu(x) * u").form["program"].startswith(kept)
    redefined = tab.send("program", "x = torch.tensor([3.0, 4.0])\ny = F.silu(x) * u")
    assert "x = input([3, 4], range=(0, 1))" in redefined.form["program"]


def test_a_slider_moves_its_entry_and_the_list_moves_the_slider(tab: Tab) -> None:
    assert tab.send("in.x.entry", "0.5").form["in.x.values"] == "[0.5, -1, 1]"
    assert tab.send("in.x.values", "7, 8, 9").form["in.x.entry"] == "7"
    text = tab.text.replace("clean)", "clean, entry=3)")
    assert tab.send("program", text).form["in.x.entry"] == "9"
    assert "x = input([7, 8, -2])" in tab.send("in.x.entry", "-2").form["program"]


def test_a_slider_changes_one_number_of_the_text(tab: Tab) -> None:
    text = """\
x = input(1)
with gradient_override_map({"add": lambda op, grad: (grad, None)}):
    z = (x +
         x)  # twice
show(z, x)"""
    assert tab.send("program", text).form["program"] == text
    assert tab.send("in.x.entry", "3").form["program"] == text.replace("(1)", "(3)")


def test_comment_lines_above_the_program_survive_a_slider_and_a_cut(tab: Tab) -> None:
    above = "# A title\n# One line.\n# Another line.\n# And one more.\n"
    tab.send("program", above + tab.text)
    assert tab.send("in.x.entry", "0.5").form["program"].startswith(f"{above}x = input([0.5,")
    assert tab.send(do="snip mul:0").form["program"].startswith(f"{above}x = input([0.5,")


def test_of_two_controls_of_one_input_the_one_touched_last_counts() -> None:
    form = form_of(preset(FIRST))
    form |= {"in.x.entry": "1.7", "in.u.ends": "0.9, 2", "program": form["program"] + "  # mine"}

    def values(*touched: str) -> str:
        asked = Wish(lab="playground", values=form, touched=list(touched))
        return state(asked).form["in.x.values"]

    assert values("in.x.entry", "in.u.ends") == "[1.7, -1, 1]"
    assert values("in.x.values", "in.x.entry") == "[1.7, -1, 1]"
    assert values("program", "in.x.entry") == "[1.7, -1, 1]"
    assert values("in.x.entry", "in.x.values") == form["in.x.values"]
    assert values("in.x.entry", "program") == form["in.x.values"]


def test_a_rule_is_for_each_operand_of_all_ops_of_a_type_and_goes_again(tab: Tab) -> None:
    text = tab.text
    now = tab.send("rule", "halve", rule__op="mul")
    assert '{"mul": lambda op, grad: (grad * 0.5, grad * 0.5)}' in now.form["program"]
    assert (now.form["rule.op"], now.form["rule"]) == ("mul", "halve")
    assert tab.send("rule.op", "sqrt").form["rule"] == OWN_RULE
    assert tab.send("rule.op", "mul").form["rule"] == "halve"
    assert tab.send("rule", OWN_RULE).form["program"] == text


def test_ops_of_one_line_with_other_operands_get_a_line_each_for_a_rule(tab: Tab) -> None:
    tab.send("program", "y = x * 2 * x + x * u  # mine\nshow(y, x)")
    now = tab.send("rule", "halve", rule__op="mul")
    assert now.errors == {}
    assert present(now.computed).outcome.overridden == {"mul": 3}
    mine = "y2 = x * 2\ny = y2 * x + x * u  # mine"
    assert tab.send("rule", OWN_RULE).document.program == mine


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("torch.where(x > 0, x, -x)", '"where": lambda op, grad: (None, -grad, -grad)}'),
        ("where(x > 0, x, 0)", '"where": lambda op, grad: (None, -grad)}'),
        ("torch.square(x)", '"square": lambda op, grad: -grad}'),
    ],
)
def test_a_ready_rule_fits_a_comparison_and_takes_the_place_of_one_by_tensorflows_name(
    tab: Tab, code: str, made: str
) -> None:
    before = MAP.replace("mul", "Square").replace("(grad, grad)", "grad * 3")
    _, op_type, _ = made.split('"')
    tab.send("program", f"{before}    y = {code}")
    assert tab.send("rule.op", op_type).form["rule"] == (
        "grad * 3" if op_type == "square" else OWN_RULE
    )
    now = tab.send("rule", "flip")
    assert now.errors == {}
    assert made in now.form["program"]
    assert now.form["rule"] == "flip"


def test_a_preset_is_loaded_by_choosing_it_and_by_nothing_else(tab: Tab) -> None:
    tab.send("program", "y = x * u")
    assert tab.shown.preset == ""
    shown = tab.send("in.u.ends", "0.9, 1.4", preset="flip")
    assert shown.document.program == "y = x * u", "the list's older value is no wish"
    form = dict(tab.form)
    assert tab.send("preset", "").form == form
    assert "no_such" in tab.send("preset", "no_such").notice
    tab.send("program", "y = x * (")
    assert tab.send("preset", "flip").preset == "flip"


def test_scissors_cut_nothing_in_a_program_that_is_wrong_or_where_no_edge_is(tab: Tab) -> None:
    for edge in ("nothing:9", "", "mul:x", "a b c", "mul", ":", "mul:99999999999999999999"):
        assert said("no_edge") == tab.send(do=f"snip {edge}").notice
    tab.send("program", "z = sqrt(")
    assert tab.send(do="snip mul:1").form["program"] == "z = sqrt("


def test_a_graph_that_is_too_large_is_not_drawn_and_that_is_said(tab: Tab) -> None:
    lines = ["a0 = x * 2", *(f"a{i} = sin(a{i - 1})" for i in range(1, MAX_DRAWN + 1))]
    made = build_frame(tab.send("program", "\n".join(lines)))
    assert made["graph"] is None
    assert made["figures"]
    assert any("The graph is not drawn" in note["text"] for note in made["notes"])
    assert present(build_frame(tab.send("program", "\n".join(lines[:-1])))["graph"])["nodes"]
    all_read_x = ["a0 = x * 2", *(f"a{i} = a{i - 1} * x" for i in range(1, 50))]
    assert build_frame(tab.send("program", "\n".join(all_read_x)))["graph"] is None
    assert build_frame(tab.send("program", "\n".join(all_read_x[:25])))["graph"]


def test_the_drawing_knows_what_is_cut_and_what_has_no_text_to_cut(tab: Tab) -> None:
    made = build_frame(tab.send("program", "y = clamp(x, 0, 2) * stop_gradient(u)"))
    drawn = present(made["graph"])
    assert drawn["cuts"] == ["mul:1"]
    cuttable = {edge["id"] for edge in drawn["edges"] if edge["cuttable"]}
    assert cuttable == {"clamp:0", "mul:0", "mul:1"}


def test_minus_zero_is_another_number_than_zero(tab: Tab) -> None:
    tab.send("program", "y = 1 / x")
    now = tab.send("in.x.values", "0")
    assert present(now.computed).outcome["forward"].y.tolist() == [float("inf")]
    now = tab.send("in.x.values", "-0.0")
    assert present(now.computed).outcome["forward"].y.tolist() == [-float("inf")]


def test_what_no_address_can_hold_is_said_and_the_file_holds_it(tab: Tab) -> None:
    def warned(now: State) -> bool:
        return any("download the file" in note["text"] for note in build_frame(now)["notes"])

    assert tab.shown.address()
    assert not warned(tab.shown)
    chance = random.Random(1)
    values = [chance.random() for _ in range(900)]
    notice = "".join(chr(chance.randrange(0x4E00, 0x9000)) for _ in range(3500))
    now = tab.send("program", f"x = input({values})\nz = x * 2  # {notice}\nshow(z, x)")
    assert now.errors == {}
    assert now.address() == {}
    assert warned(now)
    code = present(frame(Wish(lab="playground", values=now.form, open=["code"]))["code"])
    assert from_text(code["files"]["playground.py"]) == now.document


UNEVEN = "x = input([[1], [2, 1]])\ny = x"


@folded("program", [*HOSTILE, "\x00", "\ud800", "x" * 190_000, UNEVEN], ids=ascii)
def test_no_program_breaks_the_lab(program: str) -> None:
    """Whatever stands in the field: one error in place or a picture, and an address that opens."""
    tab = Tab()
    now = tab.send("program", program)
    made = build_frame(now)
    assert made["graph"] or made["figures"]
    if "program" not in now.errors and now.errors:
        assert made["notes"]
    wish = Wish(lab="playground", values=tab.form, good=tab.good)
    assert seconds(wish) < 10
    encode(frame(wish))
    arrived(**now.address())


@pytest.mark.parametrize(
    "values", [{"program": ""}, {"program": "y = ("}, {"program": "y = (", "in.x.entry": "1"}]
)
@pytest.mark.parametrize("good", [{}, {"program": "y = ("}])
def test_a_form_that_lacks_texts_shows_only_the_controls_that_it_has_texts_of(
    values: dict[str, str], good: dict[str, str]
) -> None:
    shown = frame(Wish(lab="playground", values=values, good=good))
    assert not shown["accepted"]
    names = {one["name"] for group in shown["groups"] for one in group["controls"]}
    assert "program" in names
    assert names - {"preset", "do"} <= shown["form"].keys()
