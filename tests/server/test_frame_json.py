"""A frame at an address: the one that a lab shows, for anybody to read, or why there is none."""

import asyncio
import json
import socket
import threading
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from lessons.__main__ import main
from lessons.outputs.catalogue import find, lessons
from pages.labs import bench, lesson, playground
from pages.labs.answer import MISTAKE
from pages.labs.messages import Frame, Wish
from pages.labs.wire import encode
from pages.server.lanes import LostError
from tests.server.asgi import ask
from tests.server.serving import listening
from tests.support.amount import also
from tests.support.in_process import site
from tests.support.server import START_SECONDS

SITE = site()
APP = Starlette(routes=[Route("/frame.json", SITE.frame_json, methods=["GET"])])


def got(query: str, status: int = 200) -> dict[str, Any]:
    answer = ask(APP, "/frame.json", query=query)
    assert answer.status == status, answer.body
    assert answer.headers["access-control-allow-origin"] == "*"
    assert ("max-age" in answer.headers.get("cache-control", "")) == (status == 200)
    return dict(json.loads(answer.body, parse_constant=pytest.fail))


def written(frame: Frame) -> dict[str, Any]:
    return dict(json.loads(encode(frame)))


def answered(slug: str, **more: Any) -> dict[str, Any]:
    """The lesson's frame on its page, for a learner who has answered everything."""
    answers = [question.name for question in find(slug).prose.questions]
    return written(lesson.frame(Wish(lab=slug, answers=answers, **more)))


SOME = ["flip", "noise_leaks", "not_finite"]


@pytest.mark.parametrize(
    "slug", [*SOME, *also(*(one.slug for one in lessons() if one.slug not in SOME))]
)
def test_a_lesson_has_the_frame_that_its_page_shows(slug: str) -> None:
    assert got(f"lab={slug}") == answered(slug)


def test_settings_cuts_step_and_drawers_stand_in_the_address() -> None:
    asked = "lab=right_place&step=3&x=-2,-1,1&noise_high=1.5&cuts=sqrt_1:0&open=graph,table"
    shown = got(asked)
    values = {"x": "-2,-1,1", "noise_high": "1.5"}
    more = {"values": values, "step": 3, "cuts": "sqrt_1:0", "open": ["graph", "table"]}
    assert shown == answered("right_place", **more)
    assert shown["graph"]["cuts"] == ["sqrt_1:0"]
    assert len(shown["table"]["rows"]) == 3


def test_bench_and_playground_have_one_too() -> None:
    assert got("lab=bench&trick=clipping") == written(
        bench.frame(Wish(lab="bench", values={"trick": "clipping"}, good={}))
    )
    text = "x = input(3)\ny = x*x\nshow(y, x)"
    shown = got(f"lab=playground&program={text}")
    asked = Wish(lab="playground", values={"program": text}, good={})
    assert shown == written(playground.frame(asked))
    assert "no_such" in got("lab=playground&program=y = no_such(x)", 400)["error"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("lab=no_such", ["no_such"]),
        ("lab=flip&scale=much", ["flip", "--set", "scale=much"]),
        ("lab=flip&sclae=1", ["flip", "--set", "sclae=1"]),
        ("lab=flip&cuts=nothing:0", ["flip", "--cuts", "nothing:0"]),
        ("lab=flip&cuts=<b>", ["flip", "--cuts", "<b>"]),
    ],
)
def test_what_is_refused_is_said_as_on_the_command_line(
    query: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    error = got(query, 400)["error"]
    assert main(["run", "--json", *words]) == 2
    assert error in capsys.readouterr().err


@pytest.mark.parametrize(
    "query",
    [
        "",
        "lab=",
        "lab=flip%00%E2%80%AE",
        "lab=flip&lab=",
        "lab=flip&" + "&".join(f"a%00{n}=1" for n in range(500)),
        "lab=flip&a%0a%E2%80%AE=1",
        f"lab=flip&cuts={','.join('%00' * 60 + f'{n}:1' for n in range(60))}",
        "lab=flip&cuts=%E2%80%AEmul:0",
        *(f"lab=flip&step={step}" for step in ("x", "-1", "0", "1e3", "%D9%A3", "9" * 5000)),
        f"lab=flip&open={'a' * 101}",
        f"lab=flip&open={'a,' * 200}",
        f"lab=playground&program={'(' * 9000}",
        "lab=playground&program=%ED%A0%80%00",
    ],
    ids=range(18),
)
def test_what_is_hostile_is_refused_in_one_short_sentence(query: str) -> None:
    answer = ask(APP, "/frame.json", query=query)
    assert answer.status == 400
    error = json.loads(answer.body)["error"]
    assert error.isprintable()
    assert 5 < len(error) < 600


def test_a_mistake_of_ours_is_said_without_what_went_wrong(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lesson, "frame", lambda wish: 1 / 0)
    assert got("lab=flip&scale=7", 500) == {"error": MISTAKE}
    assert "ZeroDivisionError" in caplog.text


def test_a_lost_worker_gives_status_500_with_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    async def lost(*_: object, **__: object) -> None:
        raise LostError

    monkeypatch.setattr(SITE.quick, "run", lost)
    assert got("lab=flip&scale=7", 500) == {"error": MISTAKE}


def test_a_client_that_leaves_ends_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    left = threading.Event()

    async def waits(*_: object, **__: object) -> None:
        try:
            await asyncio.Future()
        finally:
            left.set()

    monkeypatch.setattr(SITE.quick, "run", waits)
    with listening(APP) as host:
        name, port = host.split(":")
        with socket.create_connection((name, int(port)), START_SECONDS) as client:
            client.sendall(
                f"GET /frame.json?lab=flip&scale=7.5 HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
            )
            assert not left.wait(0.5)
            client.close()
            assert left.wait(60)
