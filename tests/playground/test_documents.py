"""Documents as text and addresses; inputs and their bounds."""

import base64
import zlib

import pytest

from lessons.playground import (
    Document,
    Input,
    Noise,
    Override,
    PlaygroundError,
    Plot,
    check,
    from_text,
    from_url,
    read_noise,
    read_values,
    to_text,
    to_url,
)

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
    assert str(from_text(to_text(FULL)).inputs[0].values[1]) == "-0.0"


def test_windows_line_ends_are_the_same():
    assert from_text(to_text(FULL).replace("\n", "\r\n")) == FULL


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("input x = 1\nprogramm\ny = x", 2, "Did you mean program?"),
        ("input x = 1", 1, "no line “program”"),
        ("input x\nprogram\ny = x", 1, "input x = [-2, -1, 1]"),
        ("input x = 1, a\nprogram\ny = x", 1, "“a” is not a number"),
        ("input x = 1e999\nprogram\ny = x", 1, "too large"),
        ("input x = – 1\nprogram\ny = x", 1, "EN DASH"),
        ("input x = 1\noverride mul grad\nprogram\ny = x", 2, "An override is written"),
        ("input x = 1\nplot x 0 1\nprogram\ny = x", 2, "plot x from -3 to 3"),
        ("input x = 1\noutput y\noutput z\nprogram\ny = x", 3, "given twice"),
        ("input x = 1\noutput\nprogram\ny = x", 2, "something is missing"),
        ("input x = beta(1, 2)\nprogram\ny = x", 1, "no distribution"),
        ("input x = 1\nprogram y = x", 2, "line below"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(text, line, words):
    with pytest.raises(PlaygroundError) as caught:
        from_text(text)
    assert (caught.value.part, caught.value.line) == ("document", line)
    assert words in caught.value.message


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
    ["", "[", "]", "[]", "[[]]", "[1", "1]", "[[1, 2], [3]]", "[[1], 2]", "nan", "inf", "1_0",
     "0x1", "1e400", "--1", "x", "1;2", "[1, [2]]", "٣", "9" * 41, "1 " * 1025, "\x00"],
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
        ((), "There is no input"),
        ((Input("u", noise=Noise("uniform", 0, 1)),), "Every input is drawn"),
        ((Input("x", 1.0), Input("x", 2.0)), "Two inputs have this name"),
        ((Input("1x", 1.0),), "no name" ),
        ((Input("a b", 1.0),), "no name"),
        ((Input("х", 1.0),), "CYRILLIC"),
        ((Input("__x", 1.0),), "no name"),
        ((Input("lambda", 1.0),), "no word of Python’s"),
        ((Input("sqrt", 1.0),), "is a function"),
        ((Input("x", 1.0, Noise("uniform", 0, 1)),), "Every input is drawn"),
        ((Input("x", 1.0), Input("y", 1.0, Noise("uniform", 0, 1))), "either values or noise"),
        ((Input("x", 1.0), Input("u", noise=Noise("uniform", 2, 1))), "ends below"),
        ((Input("x", 1.0), Input("u", noise=Noise("normal", 0, -1))), "deviation is 0 or more"),
        ((Input("x", 1.0), Input("u", noise=Noise("normal", 0, 1, 2**32))), "A seed is"),
        ((Input("x", 1.0), Input("u", noise=Noise("normal", 0, 1, 0, "xx"))), "Did you mean x?"),
        ((Input("x", 1.0), Input("u", noise=Noise("normal", float("nan"), 1))), "reaches beyond"),
        ((Input("x", (1.0, float("nan"))),), "one finite number"),
        ((Input("x", ((1.0,), (1.0, 2.0))),), "the same length"),
        ((Input("x", (0.0,) * 1025),), "not 1,025"),
        (tuple(Input(f"x{i}", 1.0) for i in range(13)), "at most 12"),
        ((Input("x" * 33, 1.0),), "33 characters"),
    ],
)  # fmt: skip
def test_an_input_that_cannot_be_is_refused(inputs, words):
    with pytest.raises(PlaygroundError) as caught:
        check(Document(inputs, "y = x"))
    assert words in caught.value.message


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
    with pytest.raises(PlaygroundError, match="whole playground"):
        from_url(bomb)


@pytest.mark.parametrize("character", ["\x00", "\ud800", "\x1b"])
def test_a_title_that_cannot_be_shown_is_refused_and_an_address_can_still_be_made(character):
    document = Document((Input("x", 1.0),), "y = x", title=f"a{character}b")
    with pytest.raises(PlaygroundError, match="Title and sentence"):
        check(document)
    with pytest.raises(PlaygroundError, match="U\\+") as caught:
        from_text(to_text(document))
    assert (caught.value.line, caught.value.column) == (1, 8)
    assert to_url(document.with_(program=f"y = {character}"))


def test_a_document_too_long_is_refused():
    with pytest.raises(PlaygroundError, match="at most 40,000"):
        from_text("#\n" * 30_000)
