"""What crosses the wire, without a browser: what is refused, and what the bytes say."""

import json

import numpy as np
import pytest

from pages.labs import wire
from pages.labs.messages import (
    MAX_MESSAGE,
    MAX_TEXT,
    RefusedError,
    Wish,
    opened,
    read,
    read_training,
)
from tests.support.decoded import decode


def test_a_message_comes_through_as_it_was_sent():
    text = '{"lab":"flip","values":{"x":"-2, -1"},"live":true,"answers":["a"]}'
    message = opened(f'3 ask {text}\n{{"phase":"run","token":"t"}}')
    assert (message.seq, message.kind) == (3, "ask")
    assert read(message.wish) == Wish(lab="flip", values={"x": "-2, -1"}, live=True, answers=["a"])
    assert read_training(message.training).phase == "run"


@pytest.mark.parametrize(
    "text",
    ["", "ask", "ask {}", "x ask {}", "-1 ask {}", "1.5 ask {}", "99999999999 ask {}", "٣ ask {}",
     "1 fly {}", "1 train {}", "1 ask {}\n{}\n{}", "1  ask {}", "5000000000 ask {}",
     "1 ask " + "x" * MAX_MESSAGE],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_what_is_no_message_is_refused_in_few_words(text):
    with pytest.raises(RefusedError) as refused:
        opened(text)
    assert len(str(refused.value)) < 300


DEEP = "[" * 100_000 + "]" * 100_000


REFUSED = {
    "message": ["", "null", "[]", '{"lab":"flip"'],
    "lab": ["{}", '{"lab":3}'],
    "seq": ['{"lab":"flip","seq":1}'],
    "live": ['{"lab":"flip","live":1}'],
    "step": [f'{{"lab":"flip","step":{step}}}' for step in ("0", "true", "1e9")],
    "values": [
        '{"lab":"flip","values":[]}',
        json.dumps({"lab": "flip", "values": {"x" * 101: "1"}}),
        json.dumps({"lab": "flip", "values": {f"x{n}": "" for n in range(257)}}),
    ],
    "values.x": [
        '{"lab":"flip","values":{"x":1}}',
        json.dumps({"lab": "flip", "values": {"x": "1" * (MAX_TEXT + 1)}}),
    ],
    "answers": [json.dumps({"lab": "flip", "answers": ["a"] * 200})],
    "": ['{"lab":"flip","values":' + DEEP + "}", '{"lab":"\\ud800"}'],
    "have.a": ['{"lab":"flip","have":{"a":{"b":"c"}}}'],
    'The server got “"1"”.': ['{"lab":"flip","step":"1"}'],
    "va�lues�": ['{"lab":"flip","va\u202elues\\u0000":{}}'],
}


@pytest.mark.parametrize("part", REFUSED)
def test_a_wish_that_is_not_as_described_is_refused_and_its_part_is_named(part):
    for text in REFUSED[part]:
        with pytest.raises(RefusedError) as refused:
            read(text)
        assert part in str(refused.value)
        assert len(str(refused.value)) < 300


def test_a_training_that_is_not_as_described_is_refused():
    for part in ('"phase":"fly"', '"begun":-1', f'"token":"{"x" * 200}"', '"more":1'):
        with pytest.raises(RefusedError):
            read_training(f"{{{part}}}")


def sent(figures, have=None, **more):
    encoded = wire.encode({"figures": figures, **more}, have)
    seq, what, body = decode(wire.addressed(7, encoded))
    assert (seq, what) == (7, wire.FRAME)
    return body


def figure(name="a", layout=None, **trace):
    return {"id": name, "figure": {"data": [trace], "layout": layout or {}}}


def test_figures_travel_as_float32_with_nan_kept():
    values = np.array([1.5, np.nan, np.inf, 1e300])
    made = sent([figure(x=values, y=[float("nan"), np.float64(2)])], status="\ud800")
    trace = made["figures"][0]["figure"]["data"][0]
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(trace["x"], values.astype("f4"))
    assert trace["y"] == [None, 2.0]


def test_every_chart_finds_its_own_numbers():
    planes = [np.arange(12.0).reshape(3, 4) + n for n in range(3)]
    specs = [figure(str(n), z=plane, x=np.array([n])) for n, plane in enumerate(planes)]
    digests = {one["id"]: one["digest"] for one in sent(specs)["figures"]}
    for missing in ((), ("0",), ("1",), ("0", "1", "2")):
        made = sent(specs, {name: digests[name] for name in missing})["figures"]
        assert [one["id"] for one in made if "figure" not in one] == list(missing)
        for n, one in enumerate(made):
            if "figure" in one:
                np.testing.assert_array_equal(one["figure"]["data"][0]["z"], planes[n])
                assert one["figure"]["data"][0]["x"].tolist() == [n]


def test_the_digest_tells_charts_apart_and_the_style_only_their_look():
    def style_and_digest(**trace):
        (one,) = sent([figure(**trace)])["figures"]
        return one["digest"], one["style"]

    base = style_and_digest(y=np.array([1.0]), z=np.array([1.0]))
    assert style_and_digest(y=np.array([1.0]), z=np.array([1.0])) == base
    moved = style_and_digest(y=np.array([2.0]), z=np.array([1.0]))
    assert (moved[0] != base[0], moved[1] == base[1]) == (True, True)
    assert style_and_digest(y=np.array([1.0]), z=np.array([3.0]))[1] != base[1]
    assert style_and_digest(y=np.array([1.0]), z=np.array([1.0]), mode="lines")[1] != base[1]


def test_graph_and_code_are_not_sent_twice():
    graph, code = {"title": "g", "nodes": [1]}, {"digest": "d", "panes": {}}
    first = sent([], graph=graph, code=code)
    again = sent([], {"graph": first["graph"]["digest"], "code": "d"}, graph=graph, code=code)
    assert again["graph"] == {"digest": first["graph"]["digest"]}
    assert again["code"] == {"digest": "d"}
    other = sent([], {"graph": first["graph"]["digest"]}, graph=graph | {"title": "h"})
    assert other["graph"]["nodes"] == [1]
