"""Where the browser gets the live lab from: its modules, Plotly's own script and temml's, served
from where they lie. Each address names what is there, so a browser may keep it for good and a new
version never mixes with an old one. Nothing is written to disk.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import re
from collections.abc import Mapping
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pages.server.address import root
from pages.server.compression import TYPES, File

_LIVE = Path(__file__).parents[1] / "ui" / "live"
_FOLDER = "files"
_PLOTLY = f"plotly-{importlib.metadata.version('plotly')}"
_WHOLE, _BASIC = f"{_PLOTLY}/plotly.min.js", f"{_PLOTLY}/plotly-basic.min.js"

# As a module, so that it is fetched where a formula is shown and leaves no name behind.
_TEMML = (_LIVE / "vendor" / "temml.min.js").read_bytes() + b"\nexport default temml;\n"
_MATHS = f"temml-{hashlib.blake2b(_TEMML, digest_size=8).hexdigest()}.js"

_IMPORTED = re.compile(rb'^(?:import|export)\b[^;"]*"\./(\w+\.js)"', re.MULTILINE)

_STYLES = ("lab.css", "graph.css", "linked.css", "trainer.css")

STYLE = "\n".join((_LIVE / name).read_text("utf-8") for name in _STYLES)
"""The look of the lab."""

_files: dict[str, File] = {}
"""All there is, by name: no request ever makes a path."""
_digests: dict[str, bytes] = {}


def add(name: str, content: bytes, media_type: str) -> str:
    """Serve ``content``; returns its address, relative to the page's.

    Browsers keep it for good, so ``name`` has to say what is in it, by a hash for instance. Adding
    the same again does nothing.
    """
    digest = hashlib.blake2b(content).digest()
    if _digests.setdefault(name, digest) != digest:
        raise ValueError(f"{name} is served already, with other content")
    _files.setdefault(name, File(lambda: content, media_type))
    return f"{_FOLDER}/{name}"


def routes(base: str) -> list[BaseRoute]:
    """What serves all this, where ``base`` is Streamlit's server.baseUrlPath."""
    return [Route(f"{root(base)}{_FOLDER}/{{name:path}}", _answer)]


def warm() -> None:
    """Read and compress everything ahead. For a thread; returns when it is done."""
    for file in list(_files.values()):
        file.compressed().result()


def first_modules() -> list[str]:
    """The addresses of what a page runs, again.js and early.js, and of all that these import."""
    return [f"{LIVE}/{name}" for name in _reached(_read_modules())]


async def _answer(request: Request) -> Response:
    file = _files.get(request.path_params["name"])
    if file is None:
        # Not kept: what an old page asks for may be there again once a server was put back.
        return Response("Not found", 404, {"Cache-Control": "no-store"}, "text/plain")
    keep = "public, max-age=31536000, immutable"
    return await file.answer(request.method, request.headers, keep)


def _read_modules() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(_LIVE.glob("*.js"))}


def _reached(modules: Mapping[str, bytes]) -> list[str]:
    """The names of what a page runs and of what that imports, directly or not, before it runs."""
    found = ["again.js", "early.js"]
    for one in found:  # which grows meanwhile
        imported = (name.decode() for name in _IMPORTED.findall(modules.get(one, b"")))
        found += [name for name in dict.fromkeys(imported) if name not in found]
    return found


def _add_modules() -> str:
    """The modules, read now: what is served is what the address was made from."""
    modules = _read_modules()
    # The one thing the modules need from Python: where scripts are.
    addresses = {"BASIC": _BASIC, "WHOLE": _WHOLE, "MATHS": _MATHS}
    text = "".join(
        f'export const {name} = "../{address}";\n' for name, address in addresses.items()
    )
    later = [f"./{name}" for name in modules.keys() - {*_reached(modules)}]
    text += f"export const LATER = {json.dumps(sorted(later))};\n"
    modules["addresses.js"] = text.encode()
    digest = hashlib.blake2b(digest_size=8)
    for name, content in modules.items():
        digest.update(name.encode() + b"\0" + content + b"\0")
    folder = f"live-{digest.hexdigest()}"
    for name, content in modules.items():
        add(f"{folder}/{name}", content, TYPES[".js"])
    return f"{_FOLDER}/{folder}"


def _plotly_script() -> bytes:
    # Found, not imported: its place is all that is wanted of it.
    spec = importlib.util.find_spec("plotly")
    if spec is None or spec.origin is None:
        raise RuntimeError("plotly is not installed, and the charts are drawn with its script")
    return (Path(spec.origin).parent / "package_data" / "plotly.min.js").read_bytes()


LIVE = _add_modules()
"""The address of the folder of the lab's modules, relative to the page's."""

PLOTLY = f"{_FOLDER}/{_WHOLE}"
"""The address of Plotly's script, relative to the page's …"""
BASIC_PLOTLY = f"{_FOLDER}/{_BASIC}"
"""… and of the same for lines and bars alone."""

MATHS = f"{_FOLDER}/{_MATHS}"
"""The address of temml, relative to the page's."""

_files[_WHOLE] = File(_plotly_script, TYPES[".js"])
_files[_BASIC] = File((_LIVE / "vendor" / "plotly-basic.min.js").read_bytes, TYPES[".js"])
_files[_MATHS] = File(lambda: _TEMML, TYPES[".js"])
