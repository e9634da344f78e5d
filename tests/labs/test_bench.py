"""The bench's frame: an address comes back, what is refused says why, nothing crashes it."""

import random
import re
from contextlib import suppress
from itertools import product
from typing import Any
from urllib.parse import parse_qsl

import pytest

from lessons.bench.setting import MOST_OPS, read_setting
from lessons.bench.tricks import TRICKS
from lessons.bench.words import label
from lessons.contract.lesson import RefusedTextError
from lessons.playground.document.as_text import from_text, unpacked
from lessons.playground.running.outcome import run
from pages.labs.bench import controls, frame
from pages.labs.messages import Frame, Wish
from pages.labs.wire import encode
from tests.support.amount import also, seeds
from tests.support.present import present
from tests.trick_bench.settings import random_form


def shown(values: dict[str, str], **more: Any) -> Frame:
    return frame(Wish(lab="bench", values=values, good={}, **more))


def refusals(made: Frame) -> list[str]:
    """What is refused, at the controls and above the charts."""
    noted = [one["text"] for one in made["notes"] if one["level"] == "error"]
    return [*errors(made).values(), *noted]


def errors(made: Frame) -> dict[str, str]:
    every = (one for group in made["groups"] for one in group["controls"])
    return {one["name"]: one["error"] for one in every if one["error"]}


@pytest.mark.parametrize("seed", seeds(40, 1000))
def test_an_address_brings_back_the_very_frame(seed: int) -> None:
    random_ = random.Random(seed)
    form = random_form(random_)
    for _ in range(random_.randrange(3)):  # as somebody gets there by other tricks
        trick = random_.choice([*TRICKS])
        form = read_setting(form | {"trick": trick}, ["trick"]).form
    made = shown(form, open=["table", "code"])
    again = shown(dict(parse_qsl(made["query"])), open=["table", "code"])
    assert encode(again) == encode(made)


HOSTILE = (
    "u", "3", "x", "x>0", "u*u", " sin(x)", "x@u", "sin(" * 40 + "x" + ")" * 40, "u.abs() * x",
    "sin(" * 20 + "x" + ")" * 20, "x" + "+x" * 60, "clean", "z", "x_in", "torch", "lambda: x",
    "x\ny=1",
    "x.__class__", "x[0]", "", "\u202e", "x" * 5000, "1e308*x", "x/0", "log(x)", "import os",
    "x if x else u", "stop_gradient(x)", "x.detach()", "where(x > 0, 1, 2)",
)  # fmt: skip


TYPED = [*product(HOSTILE, TRICKS)]
OFTEN = TYPED[::4]
"""Each text with one trick or two."""


@pytest.mark.parametrize(
    ("text", "trick"), [*OFTEN, *also(*(one for one in TYPED if one not in OFTEN))]
)
def test_any_typed_function_gives_a_picture_or_a_reason(text: str, trick: str) -> None:
    for noise in ("typed", "off", "add"):
        form = {"trick": trick, "function": "own", "own": text, "noise": noise}
        made = shown(form)
        assert made["figures"]
        assert made["accepted"] != bool(refusals(made))
        with suppress(RefusedTextError):
            frame(Wish(lab="bench", values=form))


@pytest.mark.parametrize(
    ("form", "control"),
    [
        ({"in.x.values": "1e308"}, "in.x.values"),
        ({"in.x.values": ""}, "in.x.values"),
        ({"in.x.values": "1, a"}, "in.x.values"),
        ({"in.u.ends": "0.5"}, "in.u.ends"),
        ({"trick": "clipping", "a.limit": "0"}, "a.limit"),
        ({"trick": "magic"}, "trick"),
        ({"function": "own", "own": "y * x"}, "own"),
        ({"function": "own", "own": "x\nz = 1"}, "own"),
        ({"trick": "clipping", "a.limit": "nan"}, "a.limit"),
        (
            {"trick": "override_map", "b.rule": "typed", "b.expression": "grad, grad"},
            "b.expression",
        ),
        ({"function": "own", "own": "sin(x"}, "own"),
        ({"function": "own", "own": "x" + "*x" * (MOST_OPS + 1)}, "own"),
    ],
)
def test_an_error_stands_at_its_control_or_above_the_charts(
    form: dict[str, str], control: str
) -> None:
    made = shown(form)
    assert not made["accepted"]
    assert control in errors(made) or len(refusals(made)) == 1
    assert made["form"].get(control, form[control]) == form[control]


def test_refused_settings_keep_the_last_picture_if_it_is_still_valid() -> None:
    good = read_setting({"trick": "clipping", "a.limit": "2"}).form
    made = frame(Wish(lab="bench", values=good | {"in.x.values": "one"}, good=good))
    assert made["query"] == "trick=clipping&a.limit=2"
    broken = {"function": "own", "own": "x@u"}
    assert frame(Wish(lab="bench", values={"in.x.values": "zz"}, good=broken))["figures"]


def test_typing_a_function_again_leaves_its_noise_on() -> None:
    form = read_setting({"function": "own", "own": "x * u"}).form
    for text in ("x", "x * 2", "x * u"):
        form = read_setting(form | {"own": text}, ["own"]).form
    assert form["noise"] == "typed"


def test_all_controls_are_known_and_unknown_names_do_nothing() -> None:
    assert {"trick", "own", "in.W.values", "a.cut", "b.expression"} <= controls()
    assert shown({"nothing": "1"} | {f"p{n}": "x" for n in range(200)})["accepted"]


@pytest.mark.parametrize("trick", TRICKS)
def test_the_programs_it_leads_to_have_its_numbers(trick: str) -> None:
    made = shown({"trick": trick})
    for link, side in zip(made["links"][1:3], "ab", strict=True):
        document = from_text(
            unpacked(dict(parse_qsl(link["address"].partition("?")[2]))["program"])
        )
        gradient = present(run(document).gradients["trick_gradient"]["x"])
        (figure,) = (one for one in made["figures"] if one["id"] == f"{side}.gradient")
        told = figure["title"].split()[-1].replace("−", "-")
        assert float(told) == pytest.approx(float(gradient[0]), rel=5e-3)


@pytest.mark.parametrize("text", ["sin(3*x)*u", "x*x + 2*x", "tanh(x)", "maximum(0, x)"])
def test_a_typed_rule_fits_any_op_at_first(text: str) -> None:
    form = {"trick": "override_map", "function": "own", "own": text, "b.rule": "typed"}
    assert refusals(shown(form)) == []


def test_a_typed_rule_is_for_the_ops_with_as_many_operands() -> None:
    form = {"trick": "override_map", "function": "own", "own": "x*x + 2*x", "noise": "off"}
    rule = {"b.rule": "typed", "b.op": "mul", "b.expression": "clamp(grad, -0.5, 0.5), None"}
    made = shown(form | rule)
    assert refusals(made) == []
    assert "and 2.5" in "".join(words for _, words in made["sentence"]), "0.5, and 2 from 2·x"


def test_edges_between_the_same_two_ops_each_show_their_part() -> None:
    def sent(**form: str) -> list[str]:
        edges = present(shown({"trick": "override_map"} | form)["graph"])["edges"]
        return [edge["other"]["gradient"] for edge in edges]

    squared = {"function": "own", "own": "x*x", "noise": "off", "b.op": "mul"}
    assert sent(**squared | {"b.rule": "own"}) == ["−2", "−2"]
    typed = {"b.rule": "typed", "b.expression": "3 * grad, 5 * grad"}
    assert sent(**squared | typed) == ["3", "5"]
    assert sent(function="three_outputs")[2:4] == ["1", "1"]


@pytest.mark.parametrize("there", [["cpu"], ["cpu", "cuda:0"]])
def test_a_device_is_offered_where_there_is_a_choice(
    there: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.labs.payload.devices", lambda: there)
    (*_, more) = shown({})["groups"]
    names = [one["name"] for one in more["controls"] if not one["hidden"]]
    assert names == ["device", "dtype"][-len(there) :]


def test_a_teachers_address_keeps_what_it_hides_and_locks() -> None:
    made = shown({"trick": "clipping"}, hide=["b.limit", "x"], fix=["a.limit"])
    assert made["query"] == "trick=clipping&hide=b.limit&fix=a.limit"
    every = {one["name"]: one for group in made["groups"] for one in group["controls"]}
    assert every["b.limit"]["hidden"]
    held = {name for name, one in every.items() if one.get("disabled")}
    assert held == {"a.limit", "trick", "function"}, "another trick has other controls"


def test_the_noise_is_hidden_with_all_of_it_and_a_locked_list_with_its_slider() -> None:
    made = shown({}, hide=["noise"], fix=["in.x.values"])
    every = {one["name"]: one for group in made["groups"] for one in group["controls"]}
    assert {"noise", "in.u.ends", "in.u.seed"} <= {n for n, one in every.items() if one["hidden"]}
    assert every["in.x.entry"].get("disabled")


def test_a_teachers_address_may_hide_all_that_tells_a_gradient() -> None:
    """Of the default function at x = -2, A's is -0.825."""
    drawers = ["draws", "arrows", "table", "code"]
    two = {"in.x.values": "-2, 1"}
    told, untold = (shown(two, hide=hide, open=drawers) for hide in ([], ["gradient"]))
    assert untold["query"].endswith("hide=gradient")
    assert [bool(re.search(b"0[.]82(48|5)", encode(one))) for one in (told, untold)] == [
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ({}, "grad, in1, out1"),
        ({"b.op": "mul"}, "grad, in1, in2, out1"),
        ({"function": "three_outputs"}, "grad1, grad2, grad3, in1, in2, out1, out2, out3"),
    ],
)
def test_a_typed_rule_is_offered_the_names_that_its_op_has(
    form: dict[str, str], names: str
) -> None:
    form |= {"trick": "override_map", "b.rule": "typed", "b.expression": names.replace(", ", " + ")}
    made = shown(form)
    every = {one["name"]: one for group in made["groups"] for one in group["controls"]}
    assert every["b.expression"]["label"] == label("expression", names=names)
    assert refusals(made) == []
    more = f"in{names.count('in') + 1}"
    assert more in "".join(refusals(shown(form | {"b.expression": more})))
