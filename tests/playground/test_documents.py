"""Documents as text and addresses; inputs and their bounds."""

import base64
import zlib
from typing import Any

import pytest

from lessons.playground.document.as_text import (
    IMPORTS,
    from_text,
    packed,
    to_text,
    unpacked,
)
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document, Input, Noise, Override
from lessons.playground.document.gestures import form_of
from lessons.playground.document.input_text import read_noise, read_values
from lessons.playground.document.words import WORDS
from lessons.playground.language.playground_error import PlaygroundError
from tests.playground.said import said

TEXT = """\
torch.set_default_dtype(torch.float32)
torch.set_default_device("cuda:7")
# A title – with a dash
# One sentence: with = signs.
x = input([-2, -0.0, 1e-30], range=(-1.5, 2.25))
A = input([[1, 2], [3, 4.5]], range=(0, 1))
k = input(3)  # not in your code
u = normal(0, 0.5, like=x, seed=4294967295)
v = uniform(-1, 1, seed=0)
with gradient_override_map({"mul": lambda op, grad: (grad * op.inputs[1], None)}):
    # √ – a comment
    y = x * x
    z = (y *
    u)  # and one more
w, t = torch.unbind(A)
with gradient_override_map({"Square": lambda op, grad: torch.clamp(grad, -0.1, 0.1)}):
    s = torch.square(w)
show(z, x, intended=y, entry=3)
"""
ABOVE = "# A title – with a dash", "# One sentence: with = signs."
FULL = Document(
    inputs=(
        Input("x", (-2.0, -0.0, 1e-30), above=ABOVE, low=-1.5, high=2.25),
        Input("A", ((1.0, 2.0), (3.0, 4.5)), low=0.0, high=1.0),
        Input("k", 3.0, remark="not in your code"),
        Input("u", noise=Noise("normal", 0.0, 0.5, 4294967295, "x")),
        Input("v", noise=Noise("uniform", -1.0, 1.0)),
    ),
    program="# √ – a comment\ny = x * x\nz = (y *\nu)  # and one more\n"
    "w, t = torch.unbind(A)\ns = torch.square(w)",
    output="z",
    overrides=(
        Override("mul", "grad * in2, None", ("y", "z")),
        Override("Square", "torch.clamp(grad, -0.1, 0.1)", ("s",)),
    ),
    over="x",
    entry=3,
    intended="y",
    dtype="float32",
    device="cuda:7",
)
EARLIER = """\
title A title – with a dash
about One sentence: with = signs.
input x = [-2, -0.0, 1e-30]
input show = [[1, 2], [3, 4.5]]
input u = normal(0, 0.5) seed 4294967295 like x
input v = uniform(-1, 1)
override mul in y, z = grad * in2, None
override Square = clip
output z
intended y
plot x from -1.5 to 2.25 entry 3
dtype float32
program
y = x * x
z = y * u
w, t = unbind(show)
s = square(maximum(w, 0)) * [1, 2]
"""


def test_a_text_says_everything_and_is_written_as_it_is_read() -> None:
    assert from_text(TEXT) == FULL
    assert from_text(to_text(FULL)) == FULL
    values = from_text(TEXT).inputs[0].values
    assert isinstance(values, tuple)
    assert str(values[1]) == "-0.0"
    assert from_text(TEXT.replace("\n", "\r\n")) == FULL
    assert from_text(f"{IMPORTS}\n{TEXT}") == FULL


def test_every_comment_stays_and_none_goes_into_another_block() -> None:
    map_ = 'with gradient_override_map({"mul": lambda op, grad: (grad, None)}):'
    text = f"""\
# title
torch.set_default_dtype(torch.float32)  # short
x = input([1,  # one (or two)
  2])  # uneven(2)
# drawn
u = uniform(0, 1)
{map_}  # a map
    # first
    y = x * u
      # between

    z = y * (  # around
      clamp(y,  # within
      low=0)  # within
    )
    # last

w = z * z
show(w, x)  # shown
"""
    assert (
        to_text(from_text(text))
        == f"""\
torch.set_default_dtype(torch.float32)
# title
# short
x = input([1, 2])  # one (or two) uneven(2)
# drawn
u = uniform(0, 1, seed=0)
# a map
# first
{map_}
    y = x * u
    # between

    # around
    # within
    # within
    z = y * torch.clamp(y, 0, 1e+30)
# last

w = z * z
# shown
show(w, x)
"""
    )


def test_an_address_carries_everything() -> None:
    assert from_text(unpacked(packed(to_text(FULL)))) == FULL
    assert packed(to_text(FULL)).replace("-", "").replace("_", "").isalnum()


def test_a_document_in_the_earlier_format_becomes_a_text_in_torchs_spelling() -> None:
    document = from_text(EARLIER)
    text = to_text(document)
    assert from_text(text).with_(program="") == document.with_(
        program="", overrides=from_text(text).overrides
    )
    assert "show_ = input([[1, 2], [3, 4.5]])" in text
    assert "u = normal(0, 0.5, like=x, seed=4294967295)" in text
    assert "torch.square(torch.maximum(w, torch.tensor(0.0))) * torch.tensor([1.0, 2.0])" in text
    assert from_text(unpacked(packed(EARLIER))) == document


def test_an_earlier_program_that_spells_torch_out_stays_as_it_is() -> None:
    program = "y = torch.sqrt(x * x)  # show the input"
    document = from_text(f"input x = [-2, 1]\nprogram\n{program}")
    assert check(document).document.program == program


MAP = 'with gradient_override_map({"mul": lambda op, grad: (grad, None)}):'
RULE = '"mul": lambda op, grad: grad, '


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("x = input(1, a)\ny = x", 1, said("not_a_number", "“a”")),
        ("x = input(1e999)\ny = x", 1, said("too_large")),
        ("x = input(– 1)\ny = x", 1, said("write_instead", "EN DASH")),
        ("x = input(1)\ny = x\nk = input(2)", 3, said("inputs_first")),
        ("x = input(1)\nu = uniform(0)\ny = x", 2, said("no_noise")),
        ("x = input(1)\nwith mul: grad\n    y = x", 2, said("map_line")),
        (f"x = input(1)\n{MAP}\ny = x", 2, said("empty_block")),
        (f"x = input(1)\n{MAP}\n    # y\ny = x", 2, said("empty_block")),
        (f"x = input(1)\n{MAP}\n    y = x\n  z = y", 4, said("indented")),
        ("x = input(1)\n  y = x", 2, said("indented")),
        ("x = input(1)\ny = x\nshow(y, 2 * x)", 3, said("show_line")),
        ("x = input(1)\ny = x\nshow(y, x)\nz = x", 4, said("show_is_last")),
        ("x = input(1)\ny = x\nshow(y, x, entry=b)", 3, said("no_whole_number")),
        ('x = input(1)\nwith gradient_override_map({"mul": lambda op, grad: gard}):\n    y = x', 2,
         said("no_name_in_rule", "gard")),
        (f"x = input(1)\n{MAP.replace('(grad, None)', 'grad, ' + RULE * 12)}\n    y = x", 2,
         said("many_overrides", "13")),
        ("#\n" * 30_000, 0, WORDS("long_document", count=60_000, most=40_000)),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_named(text: str, line: int, words: str | said) -> None:
    with pytest.raises(PlaygroundError) as caught:
        check(from_text(text))
    assert words == caught.value.message
    assert (caught.value.line, caught.value.column > 0) == (line, line > 0)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("3", 3.0), ("[3]", (3.0,)), ("-2, -1, 1", (-2.0, -1.0, 1.0)), ("1 2", (1.0, 2.0)),
        ("[[1, 2], [3, 4]]", ((1.0, 2.0), (3.0, 4.0))),
        ("[[1,2],\n [3,4],]", ((1.0, 2.0), (3.0, 4.0))),
        (" [ 1e-3 , .5 ] ", (0.001, 0.5)),
    ],
)  # fmt: skip
def test_values_are_read(
    text: str, values: float | tuple[float | tuple[float, float], ...]
) -> None:
    assert read_values(text) == values


@pytest.mark.parametrize(
    "text",
    ["", "[", "]", "[]", "[[]]", "[1", "1]", "[[1], 2]", "nan", "inf", "1_0",
     "0x1", "1e400", "--1", "x", "1;2", "[1, [2]]", "[[1], [1, 2]]", "٣", "9" * 41, "\x00"],
)  # fmt: skip
def test_what_is_no_list_of_numbers_is_refused(text: str) -> None:
    with pytest.raises(PlaygroundError) as caught:
        read_values(text)
    assert caught.value.part == "input"
    assert caught.value.message


@pytest.mark.parametrize(
    "text",
    ["", "1", "0, 1, seed=-1", "0, x", "0, 1, seed=99999999999", "0,1, like", "0, 1); x"],
)
def test_what_is_no_noise_is_refused(text: str) -> None:
    with pytest.raises(PlaygroundError):
        read_noise("uniform", text)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ((), said("no_inputs")),
        ((Input("u", noise=Noise("uniform", 0, 1)),), said("all_drawn")),
        ((Input("x", 1.0), Input("x", 2.0)), said("input_twice")),
        ((Input("1x", 1.0),), said("not_a_name")),
        ((Input("a b", 1.0),), said("not_a_name")),
        ((Input("х", 1.0),), said("latin_letter", "CYRILLIC")),
        ((Input("__x", 1.0),), said("not_a_name")),
        ((Input("lambda", 1.0),), said("not_a_name")),
        ((Input("sqrt", 1.0),), said("name_of_a_function")),
        ((Input("x", 1.0, Noise("uniform", 0, 1)),), said("all_drawn")),
        ((Input("x", 1.0), Input("u", noise=Noise("uniform", 2, 1))), said("noise_ends_first")),
        ((Input("x", 1.0), Input("u", noise=Noise("normal", 0, -1))), said("negative_deviation")),
        ((Input("x", 1.0), Input("u", noise=Noise("normal", 0, 1, 2**32))), said("large_seed")),
        ((Input("x", 1.0), Input("u", noise=Noise("normal", 0, 1, 0, "xx"))),
         said("like_no_input did_you_mean", "“xx”")),
        ((Input("x", 1.0), Input("u", noise=Noise("normal", float("nan"), 1))), said("wide_noise")),
        ((Input("x", (1.0, float("nan"))),), said("not_finite")),
        ((Input("x", ((1.0,), (1.0, 2.0))),), said("rows_differ")),
        ((Input("x", (0.0,) * 1025),), said("many_numbers", "1,025")),
        (tuple(Input(f"x{i}", 1.0) for i in range(13)), said("many_inputs", "12")),
        ((Input("x" * 33, 1.0),), said("long_name", "33")),
    ],
)  # fmt: skip
def test_an_input_that_cannot_be_is_refused(inputs: tuple[Input, ...], words: said) -> None:
    with pytest.raises(PlaygroundError) as caught:
        check(Document(inputs, "y = x"))
    assert words == caught.value.message


@pytest.mark.parametrize(
    ("x", "document"),
    [
        ({}, {"over": "q"}), ({}, {"over": "u"}), ({}, {"entry": 3}), ({}, {"entry": 0}),
        ({"low": 1, "high": 1}, {}), ({"low": 2, "high": 1}, {}), ({"high": 1e9}, {}),
        ({"low": float("nan")}, {}),
    ],
)  # fmt: skip
def test_a_plot_that_cannot_be_is_refused(x: dict[str, Any], document: dict[str, Any]) -> None:
    inputs = (Input("x", (1.0, 2.0), **x), Input("u", noise=Noise("uniform", 0, 1)))
    with pytest.raises(PlaygroundError):
        check(Document(inputs, "y = x * u", **document))


def test_an_address_that_is_cut_off_or_changed_is_refused() -> None:
    whole = packed(to_text(FULL))
    for text in (whole[:-5], whole[1:], whole + "A" * 8, "!", "", "A" * 30_000, whole + "–"):
        with pytest.raises(PlaygroundError):
            from_text(unpacked(text))


def test_an_address_that_unpacks_to_a_flood_is_stopped_early() -> None:
    bomb = base64.urlsafe_b64encode(zlib.compress(b"#" * 10_000_000, 9)).decode().rstrip("=")
    assert len(bomb) < 20_000
    with pytest.raises(PlaygroundError) as caught:
        from_text(unpacked(bomb))
    assert caught.value.message == WORDS("cut_address")


@pytest.mark.parametrize("character", ["\x00", "\ud800", "\x1b"])
def test_a_comment_that_cannot_be_shown_is_refused(character: str) -> None:
    with pytest.raises(PlaygroundError, match="U\\+") as caught:
        from_text(f"# a{character}b\nx = input(1)\ny = x\n")
    assert (caught.value.line, caught.value.column) == (1, 4)


@pytest.mark.parametrize("number", ["0.3", "-2", "1e-09"])
def test_the_field_of_a_moved_number_says_it_as_the_text_does(number: str) -> None:
    document = from_text(f"x = input([{number}, 1])\ny = x * x\nshow(y, x)")
    assert form_of(document)["in.x.entry"] == number
