"""The numbers over HTTP: the same as the command line's, its refusals, and their description."""

import json

import pytest
from openapi_spec_validator import validate
from starlette.applications import Starlette
from starlette.exceptions import HTTPException

from lessons.__main__ import main
from lessons.outputs import numbers_api
from lessons.outputs.catalogue import lessons
from lessons.playground.document.as_text import to_text
from lessons.playground.document.presets import preset
from pages.server import api
from tests.server.asgi import ask, run
from tests.support.amount import also, cases


async def answer(*question):
    return numbers_api.answer(*question)


APP = Starlette(routes=api.routes("/", answer))


def got(path, query="", **request):
    answer = ask(APP, f"/api/{path}", query=query, **request)
    assert answer.headers["access-control-allow-origin"] == "*"
    return answer


def posted(framework, text):
    return got(f"playground/{framework}", method="POST", body=text.encode())


def printed(capsys, *words):
    assert main(["run", "--json", "--steps", "0", *words]) == 0
    return json.loads(capsys.readouterr().out)


SOME = ["flip", "noise_leaks", "moons", "not_finite"]


@pytest.mark.parametrize(
    "slug", [*SOME, *also(*(one.slug for one in lessons() if one.slug not in SOME))]
)
def test_a_lesson_says_what_the_command_line_prints(slug, capsys):
    answer = got(f"lessons/{slug}")
    assert json.loads(answer.body) == printed(capsys, slug)
    assert "max-age" in answer.headers["cache-control"]


def test_settings_and_cuts_go_into_the_address(capsys):
    answer = got("lessons/right_place", "x=-2,-1,1&noise_high=1.5&cuts=sqrt_1:0")
    words = ["right_place", "--set", "x=-2,-1,1", "--set", "noise_high=1.5", "--cuts", "sqrt_1:0"]
    assert json.loads(answer.body) == printed(capsys, *words)


@pytest.mark.parametrize(
    ("path", "query", "words"),
    [
        ("lessons/no_such", "", ["no_such"]),
        ("lessons/flip", "scale=much", ["flip", "--set", "scale=much"]),
        ("lessons/flip", "sclae=1", ["flip", "--set", "sclae=1"]),
        ("lessons/flip", "cuts=nothing:0", ["flip", "--cuts", "nothing:0"]),
        ("lessons/flip", "cuts=<b>", ["flip", "--cuts", "<b>"]),
        ("lessons/flip/file", "scale=much", ["flip", "--set", "scale=much"]),
        ("lessons/second_derivative", "order=2&cuts=pow:0", []),
        ("lessons/guided_relu", "when=built&cuts=sum:0", []),
    ],
)
def test_what_is_refused_is_said_as_on_the_command_line(path, query, words, capsys):
    answer = got(path, query)
    assert answer.status == (404 if "no_such" in path else 400)
    error = json.loads(answer.body)["error"]
    if words:
        assert main(["run", "--json", *words]) == 2
        assert error in capsys.readouterr().err
    else:
        assert "cannot run" in error


@pytest.mark.parametrize(
    ("method", "path", "status", "allowed"),
    [
        ("GET", "nothing", 404, {""}),
        ("GET", "/", 404, {""}),
        ("GET", "lessons/flip/nothing", 404, {""}),
        ("GET", "lessons/", 404, {""}),
        ("POST", "lessons/flip", 405, {"GET", "HEAD"}),
        ("DELETE", "lessons", 405, {"GET", "HEAD"}),
        ("GET", "playground/torch", 405, {"POST"}),
    ],
)
def test_what_is_not_there_is_said_as_json_too(method, path, status, allowed):
    answer = got(path, method=method)
    assert answer.status == status
    assert json.loads(answer.body)["error"]
    assert {*answer.headers.get("allow", "").split(", ")} == allowed


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("lessons/flip\x00\u202e", ""),
        ("lessons/flip", "&".join(f"a%00{n}=1" for n in range(500))),
        ("lessons/flip", "a%0a%E2%80%AE=1"),
        ("lessons/flip", f"cuts={','.join('%00' * 60 + f'{n}:1' for n in range(60))}"),
        ("lessons/flip", "cuts=%E2%80%AEmul:0"),
    ],
    ids=range(5),
)
def test_what_is_refused_is_short_and_can_be_seen(path, query):
    answer = got(path, query)
    assert answer.status in (400, 404)
    error = json.loads(answer.body)["error"]
    assert error.isprintable()
    assert len(error) < 600


@pytest.mark.parametrize("text", ["", "nonsense", "\ufeff", "x" * 2_000_000], ids=range(4))
def test_a_document_that_is_none_is_refused(text):
    for framework, status in (("torch", 400), ("caf\x00", 404)):
        answer = posted(framework, text)
        error = json.loads(answer.body)["error"]
        assert answer.status == status
        assert len(error) < 1000
        assert error.isprintable() or status == 400


def test_a_document_comes_back_as_a_program():
    answer = posted("torch", to_text(preset("flip")))
    assert answer.status == 200
    compile(answer.body, "file", "exec")


def test_the_file_is_the_one_that_the_command_line_writes(capsys):
    answer = got("lessons/flip/file", "scale=3")
    main(["export", "flip", "--set", "scale=3"])
    assert answer.body.decode() == capsys.readouterr().out
    assert 'filename="flip.py"' in answer.headers["content-disposition"]


def test_every_lesson_is_listed():
    listed = json.loads(got("lessons").body)
    assert [one["slug"] for one in listed] == [lesson.slug for lesson in lessons()]
    assert listed[0]["parameters"] == lessons()[0].defaults


@pytest.mark.random
def test_the_description_is_openapi_and_names_every_parameter():
    description = json.loads(got("openapi.json").body)
    left_out = {f"/api/lessons/{one.slug}" for one in lessons()[1:]} if cases(1, 0) else set()
    paths = {path: what for path, what in description["paths"].items() if path not in left_out}
    validate(description | {"paths": paths})
    for lesson in lessons():
        words = description["paths"][f"/api/lessons/{lesson.slug}"]["get"]["parameters"]
        assert [word["name"] for word in words] == [*lesson.defaults, "cuts"]
        assert all(word["description"] for word in words)
        given = {w["name"]: w["schema"]["default"] for w in words if w["name"] != "cuts"}
        assert lesson.validate(given) == lesson.validate({})


def test_what_no_worker_answers_is_said_as_json():
    async def fails(*question):
        raise HTTPException(503, "busy")

    answer = ask(Starlette(routes=api.routes("/", fails)), "/api/lessons/flip")
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (503, "*")
    assert json.loads(answer.body) == {"error": "busy"}


def test_who_leaves_in_the_middle_of_a_document_leaves_no_traceback():
    async def left():
        return {"type": "http.disconnect"}

    async def send(message):
        """Nobody reads it."""

    app = Starlette(routes=api.routes("/", answer))
    asked = {"type": "http", "method": "POST", "path": "/api/playground/torch"}
    run(app({**asked, "headers": [], "query_string": b""}, left, send))
