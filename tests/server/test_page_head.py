"""What the page names is there, and the page itself is the same at all its addresses."""

import gzip
import re
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse
from streamlit.file_util import get_static_dir

from pages.server import files, page_head
from tests.server.asgi import GZIP, ask

INDEX = (Path(get_static_dir()) / "index.html").read_text("utf-8")
OTHER = PlainTextResponse("no page", 404)


@pytest.fixture(autouse=True)
def pages(monkeypatch):
    page_head.page()
    monkeypatch.setattr(files, "served", {**files.served})
    page_head.serve(["reversal"])


@pytest.mark.parametrize(
    ("base", "path"),
    [("", "/"), ("", "/reversal"), ("course", "/course/"), ("course", "/course/reversal")],
)
def test_a_page_is_streamlits_with_our_tags_in_its_head(base, path):
    plain, packed = (ask(files.Files(OTHER, base=base), path, headers=one) for one in ({}, GZIP))
    before, after = INDEX.split("</head>")
    text = plain.body.decode()
    assert text.startswith(before)
    assert text.endswith(f"</head>{after}")
    assert len(text) > len(INDEX)
    assert gzip.decompress(packed.body) == plain.body
    for answer in (plain, packed):
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"


def test_a_page_of_an_earlier_version_is_never_taken_for_this_one():
    answer = ask(files.Files(OTHER), "/", headers={"if-none-match": "*", "range": "bytes=0-5"})
    assert answer.status == 200
    assert not {"etag", "last-modified"} & {*answer.headers}


def test_it_is_answered_nowhere_else():
    for path in ("/", "/reversal", "/course", "/course/x"):
        assert ask(files.Files(OTHER, base="course"), path).status == 404


def test_everything_named_is_there():
    added = page_head.page().removeprefix(INDEX.partition("</head>")[0]).partition("</head>")[0]
    addresses = re.findall(r'(?:href|src)="\./([^"]+)"', added)
    twice = {one.rpartition("/")[2] for one in addresses if addresses.count(one) == 2}
    assert twice == {"again.js", "early.js"}, "preloaded and run"
    for address in addresses:
        assert ask(files.Files(OTHER), f"/{address}", headers=GZIP).status == 200, address
    soon = {Path(address).name.partition(".")[0] for address in addresses}
    assert soon >= page_head._SOON, "Streamlit has no such script any more"
