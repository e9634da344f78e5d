"""Every chart of the course on one page, to look at: `python -m tests.support.gallery` serves it.

Each lesson's charts stand below its name, at its defaults with nothing covered; behind them those
of a training after some seconds. The addresses of the page: `/` has all, `/flip` one lesson,
`/playground` its examples. Behind `?steps`, a lesson's charts at each of its steps' settings, as a
learner sees them who has not answered yet.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import HTMLResponse

from lessons.contract.covering import covered_figure
from lessons.contract.lesson import Lesson
from lessons.outputs.catalogue import find, lessons
from lessons.playground.document.presets import presets
from lessons.playground.running.outcome import run as run_document
from lessons.playground.running.outcome_charts import figures as playground_figures
from lessons.training.under_way import Run
from pages.labs import payload
from pages.ui.page import LIVE
from tests.browser.bare import labs, look

SECONDS = 4.0
"""How long each training runs before its charts are drawn."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Charts</title>
<link rel="icon" href="data:,">
<style>
{css}
body {{ color: var(--st-text-color); font: 16px/1.6 var(--st-font); margin: 16px; }}
body.stApp {{ background: var(--st-background-color); }}
.gl-lab {{ max-width: 760px; }}
</style>
</head>
<body class="stApp">
{places}
<script type="module">
import {{ modules }} from "./{live}";
const {{ Charts }} = modules.charts;
const {{ Palette }} = modules.palette;
await document.fonts.load("16px 'Source Sans'"); // Plotly measures its labels
const {{ default: Plotly }} = await import(modules.addresses.PLOTLY);
for (const [place, figures] of Object.entries({charts})) {{
  const root = document.getElementById(place);
  const palette = new Palette(root);
  palette.refresh();
  const views = {{ box: () => root.querySelector(".gl-figures"), name: "" }};
  const charts = new Charts(views, palette, null, () => {{}});
  charts.Plotly = Plotly;
  charts.frame(figures);
  charts.draw();
}}
document.body.dataset.drawn = "";
</script>
</body>
</html>
"""


def sheets(asked: str, steps: bool) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Headings, and the charts below each.

    Args:
        asked: a lesson's name, ``playground``, or nothing for all of them.
        steps: a lesson's charts at each step.
    """
    for lesson in lessons():
        if asked in ("", lesson.slug):
            yield from _at_steps(lesson) if steps else [(lesson.slug, _of(lesson.slug))]
    if asked in ("", "playground"):
        for one in presets() if asked else presets()[:3]:
            outcome = run_document(one.document)
            drawn = playground_figures(outcome, one.document)
            yield f"playground {one.document.title}", payload.figures(drawn)


@cache
def _of(slug: str) -> list[dict[str, Any]]:
    """A lesson's charts at its defaults, then its training's."""
    lesson = find(slug)
    values = lesson.validate({})
    figures = lesson.lab.figures(lesson.compute(values), values)
    training = lesson.lab.training
    if training is None:
        return payload.figures(figures)
    values = lesson.validate({"seeds": "4"})
    run = Run(lesson.lab, lesson.program, values)
    run.advance(SECONDS, values)
    return payload.figures([*figures, *training.figures(run.history, values)])


def _at_steps(lesson: Lesson) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for place, step in enumerate(lesson.prose.steps, start=1):
        values, hidden = lesson.validate(step.lab), lesson.prose.hidden((), place)
        figures = lesson.figures(lesson.compute(values), values, hidden)
        if lesson.lab.training is not None:
            run = Run(lesson.lab, lesson.program, lesson.validate({"seeds": "2"}))
            run.advance(0.5, values)
            trained = lesson.lab.training.figures(run.history, values)
            figures += [covered_figure(figure, hidden) for figure in trained]
        words = ", ".join(sorted(hidden)) or "nothing"
        yield f"{lesson.slug} {place} hides {words}", payload.figures(figures)


def page(asked: str, steps: bool) -> str:
    """The page with these charts."""
    charts, places = {}, []
    for number, (heading, figures) in enumerate(sheets(asked, steps)):
        charts[f"sheet{number}"] = figures
        places.append(
            f'<h2>{heading}</h2><div class="gl-lab" id="sheet{number}"><div class="gl-figures">'
            "</div></div>"
        )
    text = orjson.dumps(charts, default=list, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    text = text.replace("<", "\\u003c")
    return PAGE.format(css=look(), live=LIVE, places="\n".join(places), charts=text)


async def answer(request: Request) -> HTMLResponse:
    """The page that such an address has."""
    asked = request.path_params.get("page", "")
    if asked not in ("", "playground"):
        find(asked)
    return HTMLResponse(page(asked, "steps" in request.query_params))


def gallery() -> AbstractContextManager[str]:
    """The gallery's address, while the block runs."""
    return labs(answer=answer)


if __name__ == "__main__":
    with gallery() as url:
        input(f"Every chart is at {url} until you press Enter. ")
