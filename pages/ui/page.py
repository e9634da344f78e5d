"""The HTML page that every page address returns, and the scripts and styles that it loads.

Streamlit's page names only Streamlit's scripts, and a browser would find ours once Streamlit has
run. Tags in the head name them, and the site's style, so that nothing on the page moves later.
"""

import json
import re
from functools import cache
from pathlib import Path
from urllib.parse import quote

from lessons.bench.tricks import TRICKS
from lessons.contract.roles import INKS, ROLES
from lessons.gradient_tricks.text.words import LANGUAGE, Texts
from pages.server.addresses import STATIC, add_file, served
from pages.ui.bundle import bundle

_LIVE = Path(__file__).with_name("live")
_ROOMS = [_LIVE, *(_LIVE.with_name(name) for name in ("search", "sketch"))]
_STYLES = [_LIVE.with_name("style.css")]
_STYLES += [_LIVE / f"{name}.css" for name in ("lab", "bench", "graph/graph", "links/linked")]
_STYLES += [room / f"{room.name}.css" for room in _ROOMS[1:]]
# As modules, so that each is fetched when it is needed and leaves no global name behind.
_plotly = (_LIVE / "vendor" / "plotly.min.js").read_bytes() + b"\nexport default Plotly;\n"
_temml = (_LIVE / "vendor" / "temml.min.js").read_bytes() + b"\nexport default temml;\n"

PLOTLY = add_file("plotly.js", _plotly)
MATHS = add_file("temml.js", _temml)

MODULES = tuple(
    path for room in _ROOMS for path in sorted(room.rglob("*.js")) if path.parent.name != "vendor"
)
_modules = {path.stem: path.read_text("utf-8") for path in MODULES}
# What the modules need from Python: where the other scripts are, as seen from theirs, and words.
_modules["addresses"] = (
    f'export const PLOTLY = "../{PLOTLY}";\nexport const MATHS = "../{MATHS}";\n'
)
WORDS = Texts(str(_LIVE / "en.md"), users=(*MODULES, *_STYLES))
_modules["words"] = f"export const WORDS = {json.dumps(WORDS.texts, ensure_ascii=False)};\n"
_script = bundle(_modules, "early").encode()
LIVE = add_file("live.js", _script)
"""The address of the script with all of the lab's modules."""

_colours = {f"role-{role.name}": (role.light, role.dark) for role in ROLES.values()}
_colours |= {f"ink-{name}": pair for name, pair in INKS.items()}
_variables = "".join(
    f"--{name}: light-dark({', '.join(pair)}); " for name, pair in _colours.items()
)
_rules = "\n".join(path.read_text("utf-8") for path in _STYLES)
_said = re.findall(r"var\(--say-(\w+)\)", _rules)
_variables += "".join(f'--say-{name}: "{WORDS(name)}"; ' for name in _said)
STYLE = f".stApp {{ {_variables}}}\n{_rules}"
"""The look of the site, the lab, the search and the sketch. ``light-dark()`` follows the theme that
Streamlit shows."""

ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E"
    "%3Cpath fill='none' stroke='%23c8641e' stroke-width='4.5' stroke-linejoin='round' "
    "d='M4 5h24L16 28z'/%3E%3C/svg%3E"
)
"""A nabla. Streamlit would take the character for an image's address, and ask for it."""

_serif = (_LIVE / "vendor" / "lab-serif.woff2").read_bytes()
_SERIF = add_file("lab-serif.woff2", _serif)
_FONT = (
    '@font-face { font-family: "Lab Serif"; font-weight: 200 900; font-display: swap; '
    f"src: url({Path(_SERIF).name}); }}\n"
)
"""The font of headings: Streamlit's own has all weights and scripts, 430 kB instead of 27."""

_CARDS = "".join(
    f'.gl-option:has([value="{trick}"]) {{ --gl-picture: url("data:image/svg+xml,'
    f'{quote((_LIVE.with_name("cards") / f"{trick}.svg").read_text("utf-8"))}"); }}\n'
    for trick in TRICKS
)
"""A picture of each trick that the bench offers."""

_SERVER_IS_HERE = "window.__streamlit = { BACKEND_BASE_URL: new URL('.', document.baseURI).href };"
"""All pages are in one folder, the app's root. Without this script Streamlit's browser side asks
for its server below the page first, and waits a tenth of a second after the refusal."""
_UNNAMED_SCRIPTS = {"BidiComponent", "purify", "recordbatch", "serialization"}
"""Scripts of Streamlit that every page loads but index.html does not name, without their hashes."""


@cache
def page() -> str:
    """Return Streamlit's page with our tags in its head."""
    # Nested, so that it wins over Streamlit's own rules, which come later.
    look = f"{_FONT}:root {{\n{STYLE}\n{_CARDS}}}".encode()
    style = add_file("site.css", look)
    soon = [name for name in served if Path(name).name.partition(".")[0] in _UNNAMED_SCRIPTS]
    tags = [
        f'<link rel="stylesheet" href="./{style}">',
        f"<script>{_SERVER_IS_HERE}</script>",
        *(f'<link rel="modulepreload" crossorigin href="./{one}">' for one in soon),
        f'<script type="module" src="./{LIVE}"></script>',
    ]
    index = (STATIC.parent / "index.html").read_text("utf-8")
    index = index.replace("./favicon.png", ICON, 1)  # or a browser asks for Streamlit's own first
    index = index.replace('lang="en"', f'lang="{LANGUAGE}"', 1)
    return index.replace("</head>", f"{''.join(tags)}</head>", 1)
