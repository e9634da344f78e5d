"""The page that all addresses of pages answer with, and the scripts and styles that it loads.

Streamlit's page names only Streamlit's scripts, and a browser would find ours once Streamlit has
run. Tags in the head name them, and the site's style, so that nothing on the page moves later.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pages.server.files import STATIC, add, digest, served
from pages.ui.style import css

_LIVE = Path(__file__).with_name("live")
_STYLES = ("lab.css", "graph.css", "linked.css", "trainer.css")
_FIRST = ("early.js",)  # what a page runs before the lab's element is there
_IMPORTED = re.compile(rb'^(?:import|export)\b[^;"]*"\./(\w+\.js)"', re.MULTILINE)


def _reached(modules: Mapping[str, bytes]) -> list[str]:
    """Follow static imports from the first modules; returns the names, each once."""
    found = [*_FIRST]
    for name in found:  # grows while it runs
        imported = (match.decode() for match in _IMPORTED.findall(modules.get(name, b"")))
        found += [other for other in dict.fromkeys(imported) if other not in found]
    return found


def _add_modules(modules: Mapping[str, bytes]) -> str:
    """Serve the modules in a folder that is named by their hash; returns its address."""
    later = sorted(f"./{name}" for name in modules.keys() - {*_reached(modules)})
    # All that the modules need from Python: where the other scripts are.
    scripts = {"PLOTLY": PLOTLY, "MATHS": MATHS}
    lines = [f'export const {name} = "../../{address}";' for name, address in scripts.items()]
    lines.append(f"export const LATER = {json.dumps(later)};\n")
    whole = {**modules, "addresses.js": "\n".join(lines).encode()}
    folder = f"live-{digest(repr(whole).encode())}"
    for name, content in whole.items():
        add(f"{folder}/{name}", content)
    return f"files/{folder}"


_plotly = (_LIVE / "vendor" / "plotly.min.js").read_bytes()
# As a module, so that it is fetched where a formula is shown and leaves no global name behind.
_temml = (_LIVE / "vendor" / "temml.min.js").read_bytes() + b"\nexport default temml;\n"

PLOTLY = add(f"plotly-{digest(_plotly)}.min.js", _plotly)
MATHS = add(f"temml-{digest(_temml)}.js", _temml)

_modules = {path.name: path.read_bytes() for path in sorted(_LIVE.glob("*.js"))}
LIVE = _add_modules(_modules)
"""The address of the folder with the lab's modules."""
FIRST_MODULES = [f"{LIVE}/{name}" for name in _reached(_modules)]
"""The addresses of the modules that a page runs first, and of all that these import."""

STYLE = "\n".join((_LIVE / name).read_text("utf-8") for name in _STYLES)
"""The look of the lab."""

_SERVER_IS_HERE = "window.__streamlit = { BACKEND_BASE_URL: new URL('.', document.baseURI).href };"
"""All pages are in one folder, the app's root. Without this script Streamlit's browser side asks
for its server below the page first, and waits a tenth of a second after the refusal."""
_SOON = {"BidiComponent", "purify", "recordbatch", "serialization"}
"""Scripts of Streamlit that every page loads but index.html does not name, without their hashes."""


@cache
def page() -> str:
    """Return Streamlit's page with our tags in its head."""
    # Nested, so that it wins over Streamlit's own rules, which come later.
    look = f":root {{\n{css()}\n{STYLE}\n}}".encode()
    style = add(f"site-{digest(look)}.css", look)
    soon = [name for name in served if Path(name).name.partition(".")[0] in _SOON]
    fetched = [*soon, *FIRST_MODULES]
    tags = [
        f'<link rel="stylesheet" href="./{style}">',
        f"<script>{_SERVER_IS_HERE}</script>",
        *(f'<link rel="modulepreload" crossorigin href="./{one}">' for one in fetched),
        f'<script type="module" src="./{LIVE}/early.js"></script>',
    ]
    index = (STATIC.parent / "index.html").read_text("utf-8")
    return index.replace("</head>", f"{''.join(tags)}</head>", 1)
