"""What the page names is there, and the page itself is the same at all its addresses."""

import gzip
import re
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from streamlit.file_util import get_static_dir

from pages.server import page_head
from pages.server.files import Files
from tests.server.asgi import GZIP, ask

INDEX = (Path(get_static_dir()) / "index.html").read_text("utf-8")
APP = Starlette(routes=page_head.routes("", ["reversal"]), middleware=[Middleware(Files)])


@pytest.mark.parametrize("path", ["/", "/reversal"])
def test_a_page_is_streamlits_with_our_tags_in_its_head(path):
    answer = ask(APP, path)
    before, after = INDEX.split("</head>")
    text = answer.body.decode()
    assert text.startswith(before)
    assert text.endswith(f"</head>{after}")
    assert len(text) > len(INDEX)
    packed = ask(APP, path, headers=GZIP)
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == answer.body
    for one in (answer, packed):
        assert one.headers["cache-control"] == "no-cache"
        assert one.headers["content-type"] == "text/html; charset=utf-8"
        assert one.headers["vary"] == "Accept-Encoding"
        assert int(one.headers["content-length"]) == len(one.body)


def test_it_is_answered_below_a_base_address_and_nowhere_else():
    app = Starlette(routes=page_head.routes("course", ["reversal"]))
    for path, status in {"/course/": 200, "/course/reversal": 200, "/reversal": 404}.items():
        assert ask(app, path).status == status


def test_a_page_of_an_earlier_version_is_never_taken_for_this_one():
    answer = ask(APP, "/", headers={"if-none-match": "*", "range": "bytes=0-5"})
    assert answer.status == 200
    assert not {"etag", "last-modified"} & {*answer.headers}


def test_everything_named_is_there():
    added = page_head.page().removeprefix(INDEX.partition("</head>")[0]).partition("</head>")[0]
    addresses = re.findall(r'(?:href|src)="\./([^"]+)"', added)
    twice = {one.rpartition("/")[2] for one in addresses if addresses.count(one) == 2}
    assert twice == {"again.js", "early.js"}, "preloaded and run"
    for address in addresses:
        assert ask(APP, f"/{address}", headers=GZIP).status == 200, address
    soon = {Path(address).name.partition(".")[0] for address in addresses}
    assert soon >= page_head._SOON, "Streamlit has no such script any more"
    assert {*addresses} <= {*page_head.named_files()}
