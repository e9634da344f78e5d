"""The labs on pages without Streamlit: their own modules, styles, route and numbers, and nothing
else that takes time. What Streamlit draws around them, and says to them, is tested in the app.

The addresses are the app's. Beside the lab stand the step's text, the code and a file, in the
places that the lab fills. In such a page `placed({step: 2})` says what Streamlit would when it has
drawn the page anew, and `ordered({values: {x: "1"}})` what a button of the page would.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from streamlit.file_util import get_static_dir

from lessons.contract.lesson import Lesson
from lessons.outputs.catalogue import find
from lessons.prose.steps import fill
from pages.server.addresses import Addresses
from pages.server.application import SOCKET
from pages.ui import numbers
from pages.ui.memory import Trail
from pages.ui.page import LIVE, STYLE
from pages.ui.place import Place
from pages.ui.playground_view import order_from_address
from tests.server.serving import serving
from tests.support.in_process import site
from tests.support.server import ROOT

STREAMLIT = Path(get_static_dir())
FILES = [Route("/files/{name:path}", Addresses(PlainTextResponse("Not found", 404)))]
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A lab</title>
<link rel="icon" href="data:,">
<style>
{css}
* {{ box-sizing: border-box; }}
body {{ color: var(--st-text-color); font: 16px/1.6 var(--st-font); margin: 0; }}
.stApp {{ background: var(--st-background-color); }}
.stMain {{ height: 100vh; overflow: auto; }}
.stMainBlockContainer {{ margin: auto; }}
.columns {{ display: flex; flex-wrap: wrap; gap: 4rem; }}
.columns > * {{ overflow-wrap: anywhere; }}
@media (min-width: 641px) {{
  .st-key-words {{ width: calc(100% * 4 / 12 - 2rem); }}
  .st-key-lab {{ width: calc(100% * 8 / 12 - 2rem); }}
}}
@media (max-width: 640px) {{ .columns > * {{ width: 100%; }} }}
</style>
</head>
<body class="stApp">
<div class="stMain"><main class="stMainBlockContainer">
<h1>A lab</h1>
<div class="columns">
<div class="st-key-words">{words}</div>
<div class="st-key-lab"><h2>The lab</h2><div class="gl-lab"></div></div>
</div>
</main></div>
<script type="module">
import {{ modules }} from "./{live}";
const {{ render }} = modules.lab;
let place = {place};
let orders = 0;
const parentElement = document.querySelector(".st-key-lab");
window.placed = (more = {{}}) => {{
  place = {{ ...place, ...more }};
  return render({{ data: place, parentElement }});
}};
window.ordered = (order) => {{
  const id = `order ${{(orders += 1)}}`;
  const one = {{ id, first: false, cuts: null, graph_step: null, ...order }};
  return placed({{ orders: [...place.orders, one] }});
}};
await document.fonts.load("16px 'Source Sans'"); // Plotly measures its labels
placed();
</script>
</body>
</html>
"""


@cache
def look() -> str:
    """The site's styles and the lab's, with the theme that Streamlit would make of its settings."""
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
    names = {"background-color": "backgroundColor", "text-color": "textColor"}
    names |= {"primary-color": "primaryColor", "link-color": "linkColor"}

    def colours(scheme: str) -> str:
        rules = "".join(f"--st-{ours}: {theme[scheme][name]};" for ours, name in names.items())
        return f".stApp {{ color-scheme: {scheme}; --st-font: 'Source Sans', sans-serif; {rules} }}"

    sheet = next(STREAMLIT.glob("static/css/index.*.css")).read_text("utf-8")
    fonts = re.findall(r"@font-face\{font-family:Source Sans;[^}]*\}", sheet)
    dark = f"@media (prefers-color-scheme: dark) {{ {colours('dark')} }}"
    rules = "\n".join([*fonts, STYLE, colours("light"), dark])
    return rules.replace("../media/", "static/media/")


def lesson_page(lesson: Lesson, given: Mapping[str, str]) -> str:
    """A lesson at the step and with the settings of an address, nothing answered."""
    trail = Trail()
    place = Place.arrived(lesson, given, trail)
    step = lesson.prose.steps[trail.step - 1]
    data = {
        "lab": lesson.slug,
        "orders": place.as_data(),
        "step": trail.step,
        "hide": sorted(place.hide),
        "fix": sorted(place.fix),
    }
    words = f"<h2>{step.title}</h2><p>{fill(step.text, place.result.facts, numbers.mark)}</p>"
    return page(data, words)


def page(data: Mapping[str, object], words: str = "") -> str:
    """A page with the lab that this is said to."""
    nothing = {"step": 1, "answers": [], "hide": [], "fix": [], "goal": "", "note": ""}
    place = {**nothing, "socket": SOCKET, "name": data["lab"], **data}
    return PAGE.format(
        css=look(),
        words=words,
        live=LIVE,
        place=json.dumps(place).replace("<", "\\u003c"),
    )


async def answer(request: Request) -> HTMLResponse:
    """The page that the app has at that address."""
    name, given = request.path_params.get("page", ""), dict(request.query_params)
    if name == "playground":
        order, note = order_from_address(given)
        made = page({"lab": "playground", "orders": [order], "note": note})
    elif "lesson" in given:
        made = lesson_page(find(given.pop("lesson")), given)
    else:
        order = {"id": "bench", "first": True, "values": {}, "cuts": "", "graph_step": None}
        made = page({"lab": "bench", "orders": [order]})
    return HTMLResponse(made)


@contextmanager
def labs() -> Iterator[str]:
    """The address of such pages, which a thread of this process serves."""
    here = site()
    pages: list[BaseRoute] = [Mount("/static", StaticFiles(directory=STREAMLIT / "static"))]
    pages += [Route("/", answer), Route("/{page}", answer)]
    with serving(here, *FILES, *pages) as url:
        yield url.replace("ws://", "http://").removesuffix("/labs")
