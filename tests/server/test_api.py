"""The numbers over HTTP: the same as the command line's, its refusals, and their description."""

import asyncio
import json

import pytest
from openapi_spec_validator import validate
from pages.server.computing import Computing
from starlette.applications import Starlette

from lessons.__main__ import main
from lessons.outputs.catalogue import lessons
from lessons.playground import preset, to_text
from pages.server import api
from pages.server.socket import Workshop
from pages.server.trainings import Trainings
from tests.server.asgi import ask, asked, run
from tests.support.amount import also, cases
from tests.support.in_process import InProcess

APP = Starlette(routes=api.routes("", Workshop(InProcess(Computing()), Trainings(0))))


def got(path, query=""):
    answer = ask(APP, f"/api/{path}", query=query)
    assert answer.headers["access-control-allow-origin"] == "*"
    return answer


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
        ("GET", "nothing", 404, None),
        ("GET", "lessons/flip/nothing", 404, None),
        ("POST", "lessons/flip", 405, "GET, HEAD"),
        ("DELETE", "lessons", 405, "GET, HEAD"),
        ("GET", "playground/torch", 405, "POST"),
    ],
)
def test_what_is_not_there_is_said_as_json_too(method, path, status, allowed):
    answer = ask(APP, f"/api/{path}", method=method)
    assert answer.status == status
    assert json.loads(answer.body)["error"]
    assert answer.headers.get("allow") == allowed
    assert answer.headers["access-control-allow-origin"] == "*"


def test_a_slash_too_many_leads_to_the_address_without():
    answer = ask(APP, "/api/lessons/")
    assert (answer.status, answer.headers["location"]) == (301, "/api/lessons")
    answer = ask(APP, "/api/lessons/flip/", query="x=1%2C2")
    assert (answer.status, answer.headers["location"]) == (301, "/api/lessons/flip?x=1%2C2")
    assert ask(APP, "/api//").status == 404


def test_what_was_quoted_in_a_path_is_quoted_in_the_address_without_the_slash():
    answer = ask(APP, "/api/lessons/a?b=1#c%20d é/", query="x=1%2C2")
    path = "/api/lessons/a%3Fb%3D1%23c%2520d%20%C3%A9"
    assert (answer.status, answer.headers["location"]) == (301, f"{path}?x=1%2C2")
    below = Starlette(
        routes=api.routes("gradients", Workshop(InProcess(Computing()), Trainings(0)))
    )
    answer = ask(below, "/gradients/api/openapi.json//")
    assert (answer.status, answer.headers["location"]) == (301, "/gradients/api/openapi.json")


@pytest.mark.parametrize("slug", ["flip", "moving_target"])
def test_the_description_has_every_part_of_an_answer(slug):
    get = api.description()["paths"][f"/api/lessons/{slug}"]["get"]
    schema = get["responses"]["200"]["content"]["application/json"]["schema"]
    assert set(json.loads(got(f"lessons/{slug}").body)) <= set(schema["properties"])
    scale = {word["name"]: word["description"] for word in get["parameters"]}
    assert all(said for said in scale.values())
    assert "one of float64" in scale["dtype"]


def test_a_parameter_given_twice_is_refused():
    answer = got("lessons/flip", "scale=1&scale=2")
    assert (answer.status, "twice" in json.loads(answer.body)["error"]) == (400, True)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("lessons/flip\n\x00\u202e", ""),
        ("lessons/flip", "&".join(f"a%00{n}=1" for n in range(500))),
        ("lessons/flip", "a%0a%E2%80%AE=1&a%0a%E2%80%AE=2"),
        ("lessons/flip", f"cuts={','.join('%00' * 60 + f'{n}:1' for n in range(60))}"),
        ("lessons/flip", "cuts=%E2%80%AEmul:0"),
    ],
    ids=range(5),
)
def test_what_is_refused_is_short_and_can_be_seen(path, query):
    error = json.loads(got(path, query).body)["error"]
    assert error.isprintable()
    assert len(error) < 600


def test_a_framework_is_refused_in_signs_that_can_be_seen():
    assert json.loads(posted("caf\n\x00", "").body)["error"].isprintable()


def test_the_file_is_the_one_that_the_command_line_writes(capsys):
    answer = got("lessons/flip/file", "scale=3")
    main(["export", "flip", "--set", "scale=3"])
    assert answer.body.decode() == capsys.readouterr().out
    assert 'filename="flip.py"' in answer.headers["content-disposition"]


def test_every_lesson_is_listed():
    listed = json.loads(got("lessons").body)
    assert [one["slug"] for one in listed] == [lesson.slug for lesson in lessons()]
    assert listed[0]["parameters"] == lessons()[0].defaults


@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax"])
def test_a_document_comes_back_as_a_program(framework):
    document = to_text(preset("flip"))
    answer = posted(framework, document)
    assert answer.status == 200
    compile(answer.body, "file", "exec")


@pytest.mark.parametrize("text", ["", "nonsense", "\ufeff", "x" * 2_000_000])
def test_a_document_that_is_none_is_refused(text):
    answer = posted("torch", text)
    assert answer.status == 400
    assert len(json.loads(answer.body)["error"]) < 1000


def test_a_framework_that_is_not_known_is_refused():
    assert posted("caffe", "").status == 404


def posted(framework, text):
    return ask(APP, f"/api/playground/{framework}", method="POST", body=text.encode())


@pytest.mark.random
def test_the_description_is_openapi_and_names_every_parameter():
    description = json.loads(got("openapi.json").body)
    left_out = {f"/api/lessons/{one.slug}" for one in lessons()[1:]} if cases(1, 0) else set()
    paths = {path: what for path, what in description["paths"].items() if path not in left_out}
    validate(description | {"paths": paths})
    for lesson in lessons():
        words = description["paths"][f"/api/lessons/{lesson.slug}"]["get"]["parameters"]
        assert [word["name"] for word in words] == [*lesson.defaults, "cuts"]
        given = {w["name"]: w["schema"]["default"] for w in words if w["name"] != "cuts"}
        assert lesson.validate(given) == lesson.validate({})


class Never:
    """Begins work that never ends; counts what was begun and stopped."""

    def __init__(self):
        self.begun = self.stopped = 0

    def ask(self, work, text, deliver, use=None):
        self.begun += 1
        return self

    def stop(self):
        self.stopped += 1


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "lessons/noise_leaks"), ("POST", "playground/torch")]
)
def test_who_goes_away_leaves_no_work_behind(method, path):
    never = Never()
    app = Starlette(routes=api.routes("", Workshop(never, Trainings(0))))

    async def go_away():
        while not never.begun:
            await asyncio.sleep(0)

    run(asyncio.wait_for(asked(app, f"/api/{path}", method, until=go_away), 20))
    assert (never.begun, never.stopped) == (1, 1)
