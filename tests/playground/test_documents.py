"""Documents as text and addresses; inputs and their bounds."""

import base64
import zlib

import pytest

from lessons.playground.document.as_text import from_text, from_url, to_text, to_url
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document, Input, Noise, Override, Plot
from lessons.playground.document.input_text import read_noise, read_values
from lessons.playground.document.words import WORDS
from lessons.playground.language.playground_error import PlaygroundError
from tests.playground.said import said

FULL = Document(
    inputs=(
        Input("x", (-2.0, -0.0, 1e-30)),
        Input("A", ((1.0, 2.0), (3.0, 4.5))),
        Input("k", 3.0),
        Input("u", noise=Noise("normal", 0.0, 0.5, 4294967295, "x")),
        Input("v", noise=Noise("uniform", -1.0, 1.0)),
    ),
    program="# √ – a comment\ny = x**2\n\nz = y * u  # and one more",
    output="z",
    overrides=(Override("mul", "grad * in2, None", ("y", "z")), Override("Square", "guided relu")),
    plot=Plot("x", -1.5, 2.25, 3),
    intended="y",
    dtype="float32",
    title="A title – with a dash",
    about="One sentence: with = signs.",
)


def test_text_and_address_carry_everything():
    assert from_text(to_text(FULL)) == FULL
    assert from_url(to_url(FULL)) == FULL
    assert to_url(FULL).replace("-", "").replace("_", "").isalnum()
    assert str(from_text(to_text(FULL)).inputs[0].values[1]) == "-0.0"
    assert from_text(to_text(FULL).replace("\n", "\r\n")) == FULL


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("input x = 1\nprogramm\ny = x", 2, said("unknown_line did_you_mean", "program")),
        ("input x = 1", 1, said("no_program")),
        ("input x\nprogram\ny = x", 1, said("input_line")),
        ("input x = 1, a\nprogram\ny = x", 1, said("not_a_number", "“a”")),
        ("input x = 1e999\nprogram\ny = x", 1, said("too_large")),
        ("input x = – 1\nprogram\ny = x", 1, said("write_instead", "EN DASH")),
        ("input x = 1\noverride mul grad\nprogram\ny = x", 2, said("override_line")),
        ("input x = 1\noverride mul on y = grad\nprogram\ny = x", 2, said("override_line")),
        ("input x = 1\nplot x 0 1\nprogram\ny = x", 2, said("plot_line")),
        ("input x = 1\nplot from 0 to 1\nplot from 0 to 2\nprogram\ny = x", 3, said("plot_line")),
        ("input x = 1\noutput y\noutput z\nprogram\ny = x", 3, said("line_twice")),
        ("input x = 1\noutput\nprogram\ny = x", 2, said("empty_line")),
        ("input x = beta(1, 2)\nprogram\ny = x", 1, said("no_distribution")),
        ("input x = 1\nprogram y = x", 2, said("program_below")),
        ("#\n" * 30_000, 0, WORDS("long_document", count=60_000, most=40_000)),
    ],
)
def test_a_line_that_cannot_be_read_is_named(text, line, words):
    with pytest.raises(PlaygroundError) as caught:
        from_text(text)
    assert (caught.value.part, caught.value.line) == ("document", line)
    assert words == caught.value.message


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("3", 3.0), ("[3]", (3.0,)), ("-2, -1, 1", (-2.0, -1.0, 1.0)), ("1 2", (1.0, 2.0)),
        ("[[1, 2], [3, 4]]", ((1.0, 2.0), (3.0, 4.0))),
        ("[[1,2],\n [3,4],]", ((1.0, 2.0), (3.0, 4.0))),
        (" [ 1e-3 , .5 ] ", (0.001, 0.5)),
    ],
)  # fmt: skip
def test_values_are_read(text, values):
    assert read_values(text) == values


@pytest.mark.parametrize(
    "text",
    ["", "[", "]", "[]", "[[]]", "[1", "1]", "[[1], 2]", "nan", "inf", "1_0",
     "0x1", "1e400", "--1", "x", "1;2", "[1, [2]]", "٣", "9" * 41, "\x00"],
)  # fmt: skip
def test_what_is_no_list_of_numbers_is_refused(text):
    with pytest.raises(PlaygroundError) as caught:
        read_values(text)
    assert caught.value.part == "input"
    assert caught.value.message


@pytest.mark.parametrize(
    "text", ["uniform", "uniform(1)", "gauss(0, 1)", "uniform(0, 1) seed -1", "uniform(0, x)",
             "uniform(0, 1) seed 99999999999", "uniform(0,1) like", "uniform(0, 1); x"],
)  # fmt: skip
def test_what_is_no_noise_is_refused(text):
    with pytest.raises(PlaygroundError):
        read_noise(text)


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
def test_an_input_that_cannot_be_is_refused(inputs, words):
    with pytest.raises(PlaygroundError) as caught:
        check(Document(inputs, "y = x"))
    assert words == caught.value.message


@pytest.mark.parametrize(
    "plot", [Plot("q"), Plot("x", 1, 1), Plot("x", 2, 1), Plot("x", 0, 1, 3), Plot("x", 0, 1, 0),
             Plot("u"), Plot("x", float("nan"), 1), Plot("x", 0, 1e9)],
)  # fmt: skip
def test_a_plot_that_cannot_be_is_refused(plot):
    inputs = (Input("x", (1.0, 2.0)), Input("u", noise=Noise("uniform", 0, 1)))
    with pytest.raises(PlaygroundError):
        check(Document(inputs, "y = x * u", plot=plot))


def test_an_address_that_is_cut_off_or_changed_is_refused():
    packed = to_url(FULL)
    for text in (packed[:-5], packed[1:], packed + "A" * 8, "!", "", "A" * 30_000, packed + "–"):
        with pytest.raises(PlaygroundError):
            from_url(text)


def test_an_address_that_unpacks_to_a_flood_is_stopped_early():
    bomb = base64.urlsafe_b64encode(zlib.compress(b"#" * 10_000_000, 9)).decode().rstrip("=")
    assert len(bomb) < 20_000
    with pytest.raises(PlaygroundError) as caught:
        from_url(bomb)
    assert caught.value.message == WORDS("cut_address")


@pytest.mark.parametrize("character", ["\x00", "\ud800", "\x1b"])
def test_a_title_that_cannot_be_shown_is_refused_and_an_address_can_still_be_made(character):
    document = Document((Input("x", 1.0),), "y = x", title=f"a{character}b")
    with pytest.raises(PlaygroundError) as caught:
        check(document)
    assert said("strange_title", "U+") == caught.value.message
    with pytest.raises(PlaygroundError, match="U\\+") as caught:
        from_text(to_text(document))
    assert (caught.value.line, caught.value.column) == (1, 8)
    assert to_url(document.with_(program=f"y = {character}"))
