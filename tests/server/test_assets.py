"""The lab's modules and Plotly are served from where they lie, under addresses that name them."""

import gzip
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin

import pytest
from starlette.applications import Starlette
from streamlit.web.server.starlette.starlette_app import create_streamlit_middleware

from pages.server import assets
from tests.server.asgi import GZIP, ask
from tests.support.server import ROOT

MODULES = sorted((ROOT / "pages/ui/live").glob("*.js"))
PLOTLY = Path(importlib.metadata.distribution("plotly").locate_file("plotly"))
IMPORTED = re.compile(r"""(?:from|import)\s*\(?\s*["'](\.[^"']+\.js)["']""")


@pytest.fixture
def own(monkeypatch):
    """Nothing served yet, and what a test adds is gone after it."""
    monkeypatch.setattr(assets, "_files", {})
    monkeypatch.setattr(assets, "_digests", {})


def app(base=""):
    return Starlette(routes=assets.routes(base))


@pytest.mark.parametrize("base", ["", "course", "/a/course/"])
def test_every_module_is_served_as_it_lies_there(base):
    assert len(MODULES) > 10
    root = f"/{base.strip('/')}/".replace("//", "/")
    for module in MODULES:
        packed = ask(app(base), f"{root}{assets.LIVE}/{module.name}", headers=GZIP)
        plain = ask(app(base), f"{root}{assets.LIVE}/{module.name}")
        assert gzip.decompress(packed.body) == plain.body == module.read_bytes()
        assert packed.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        for answer in (packed, plain):
            assert answer.status == 200
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
            assert answer.headers["vary"] == "Accept-Encoding"
            assert int(answer.headers["content-length"]) == len(answer.body)


def test_every_module_finds_what_it_imports():
    found = 0
    for module in MODULES:
        for name in IMPORTED.findall(module.read_text("utf-8")):
            address = urljoin(f"/{assets.LIVE}/{module.name}", name)
            assert ask(app(), address).status == 200, f"{module.name} imports {name}"
            found += 1
    assert found > 10


def test_plotly_is_found_from_its_address_module():
    module = f"/{assets.LIVE}/addresses.js"
    text = ask(app(), module).body.decode()
    addresses = dict(re.findall(r'^export const (\w+) = "(.+)";$', text, re.MULTILINE))
    assert urljoin(module, addresses["WHOLE"]) == f"/{assets.PLOTLY}"
    assert urljoin(module, addresses["BASIC"]) == f"/{assets.BASIC_PLOTLY}"
    version = importlib.metadata.version("plotly")
    assert version in addresses["WHOLE"]
    assert version in addresses["BASIC"]


def test_plotly_is_the_wheels():
    script = (PLOTLY / "package_data/plotly.min.js").read_bytes()
    packed = ask(app(), f"/{assets.PLOTLY}", headers=GZIP)
    assert gzip.decompress(packed.body) == script == ask(app(), f"/{assets.PLOTLY}").body
    assert len(packed.body) < len(script) / 3
    assert packed.headers["content-type"] == "text/javascript; charset=utf-8"


def test_the_small_plotly_is_of_the_same_version_as_the_wheels():
    whole, basic = (
        gzip.decompress(ask(app(), f"/{one}", headers=GZIP).body).decode()
        for one in (assets.PLOTLY, assets.BASIC_PLOTLY)
    )
    versions = {
        re.search(r"plotly\.js (?:\(basic - minified\) )?v(\S+)", text[:100])[1]
        for text in (whole, basic)
    }
    assert len(versions) == 1, "`make plotly` fetches the small one that goes with the wheel's"
    assert len(basic) < len(whole) / 3


def test_temml_is_the_vendored_file_as_a_module():
    address = ask(app(), f"/{assets.LIVE}/addresses.js").body.decode()
    assert f'MATHS = "../{Path(assets.MATHS).name}"' in address
    script = (ROOT / "pages/ui/live/vendor/temml.min.js").read_bytes()
    served = ask(app(), f"/{assets.MATHS}").body
    assert served.startswith(script)
    assert served.removeprefix(script).split() == b"export default temml;".split()


def test_head_says_what_get_would():
    for headers in ({}, GZIP):
        got, head = (
            ask(app(), f"/{assets.LIVE}/lab.js", method=method, headers=headers)
            for method in ("GET", "HEAD")
        )
        assert head.headers == got.headers
        assert (head.status, head.body) == (200, b"")
        assert got.body


@pytest.mark.parametrize(
    "name",
    [
        "",
        assets.LIVE.removeprefix("files/"),
        "live-0000000000000000/lab.js",
        f"{assets.LIVE.removeprefix('files/')}/lab.css",
        f"{assets.LIVE.removeprefix('files/')}/../../../../app.py",
        f"{assets.LIVE.removeprefix('files/')}/%2e%2e/__init__.py",
        f"{assets.LIVE.removeprefix('files/')}//lab.js",
        "../pages/ui/live/lab.js",
        "/etc/hostname",
        "..\\app.py",
    ],
)
def test_other_names_are_not_found_nor_remembered(name):
    answer = ask(app(), f"/files/{name}", headers=GZIP)
    assert (answer.status, answer.body) == (404, b"Not found")
    assert answer.headers["cache-control"] == "no-store"


def test_nothing_can_be_put_there():
    assert ask(app(), f"/{assets.LIVE}/lab.js", method="PUT").status == 405


def test_what_is_added_is_served(own):
    content = json.dumps({"für": "alle"}, ensure_ascii=False).encode()
    address = assets.add("search-12.json", content, "application/json")
    assert address == assets.add("search-12.json", content, "application/json")
    answer = ask(app(), f"/{address}")
    assert answer.body == content
    assert answer.headers["content-type"] == "application/json"
    assert gzip.decompress(ask(app(), f"/{address}", headers=GZIP).body) == content


def test_an_address_never_comes_to_mean_something_else(own):
    address = assets.add("search-12.json", b"[1]", "application/json")
    with pytest.raises(ValueError, match=r"search-12\.json"):
        assets.add("search-12.json", b"[2]", "application/json")
    assert ask(app(), f"/{address}").body == b"[1]"


def test_the_address_changes_with_any_module(own, monkeypatch, tmp_path):
    live = tmp_path / "live"
    shutil.copytree(ROOT / "pages/ui/live", live)
    monkeypatch.setattr(assets, "_LIVE", live)
    addresses = {assets._add_modules(), assets._add_modules()}
    assert len(addresses) == 1
    for module in (live / MODULES[0].name, live / MODULES[-1].name):
        module.write_bytes(module.read_bytes() + b"\n")
        addresses.add(assets._add_modules())
    (live / "one_more.js").touch()
    addresses.add(assets._add_modules())
    assert len(addresses) == 4
    for address in addresses:
        assert ask(app(), f"/{address}/lab.js").status == 200


def test_warm_does_it_all_ahead(own):
    assets._add_modules()
    assets.add("a.txt", b"aaa", "text/plain")
    assets.warm()
    assert len(assets._files) == len(MODULES) + 2
    assert all(file._compressed.done() for file in assets._files.values())


def test_streamlits_own_middleware_changes_nothing():
    """It compresses too, and would say so a second time."""
    inside = Starlette(routes=assets.routes(""), middleware=create_streamlit_middleware())
    for headers in ({}, GZIP):
        alone, within = (
            ask(one, f"/{assets.LIVE}/lab.js", headers=headers) for one in (app(), inside)
        )
        assert within.body == alone.body
        headers = within.headers
        assert headers.getlist("content-encoding") == alone.headers.getlist("content-encoding")
        assert set(headers["vary"].split(", ")) == {"Accept-Encoding"}
        assert headers["cache-control"] == alone.headers["cache-control"]


def test_neither_torch_nor_a_lesson_is_loaded_for_it():
    code = (
        "import sys; from pages.server import assets, compression, headers;"
        "print([name for name in ('torch', 'lessons') if name in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"


def test_every_module_is_fetched_first_or_later():
    first = [address.rpartition("/")[2] for address in assets.first_modules()]
    there = {path.name for path in MODULES} | {"addresses.js"}
    text = ask(app(), f"/{assets.LIVE}/addresses.js").body.decode()
    later = json.loads(re.search(r"LATER = (.*);", text)[1])
    assert sorted(first + [name.removeprefix("./") for name in later]) == sorted(there)
    assert {"early.js", "first_picture.js", "charts.js"} <= {*first}
    assert "./lab.js" in later, "what the first picture does not need"


def test_what_imports_as_it_runs_is_not_followed():
    modules = {
        "early.js": b'import { a } from "./a.js";\nimport "./b.js";\nvoid import("./c.js");\n',
        "a.js": b'/** @import { D } from "./d.js" */\nexport {\n  e,\n} from "./e.js";\n',
        "b.js": b'import { early } from "./early.js";\n',
    }
    assert assets._reached(modules) == ["again.js", "early.js", "a.js", "b.js", "e.js"]
