"""A chart that is moved without Plotly is the chart that Plotly draws (plotly_fast_path.js)."""

import pytest

from lessons.outputs import catalogue
from tests.browser.looking import MORE, caught_up, control, open_drawers, ready
from tests.conftest import OpenPage

pytestmark = pytest.mark.browser

# The box of every line, area, mark and word of a chart, cut off where the axes end: Plotly leaves
# out what lies outside. It is measured from the corner of the axes, because the page may scroll.
SEEN = """() => {
  const plot = document.querySelector("[data-figure=curves] .gl-plot");
  const cut = (at, low, high) => Math.min(Math.max(at, low), high);
  const seen = (node) => node.style.strokeWidth !== "0px" || node.matches(".js-fill, .point");
  const all = [...plot.querySelectorAll(".scatterlayer :is(path, .textpoint > text)")];
  return all.filter(seen).map((node) => {
    const box = node.getBoundingClientRect();
    const row = node.closest(".subplot").classList[1];
    const area = plot.querySelector(`.nsewdrag[data-subplot=${row}]`);
    const { left, top, right, bottom } = area.getBoundingClientRect();
    return [node.getAttribute("class") + node.textContent,
      cut(box.left, left, right) - left, cut(box.top, top, bottom) - top,
      cut(box.right, left, right) - left, cut(box.bottom, top, bottom) - top];
  });
}"""
# Keep what is shown from when numbers were written in until Plotly takes over.
WATCH = f"""() => {{
  const root = document.querySelector("[data-figure=curves]");
  new MutationObserver(() => {{ if ("behind" in root.dataset) window.moved = ({SEEN})(); }})
    .observe(root, {{ attributeFilter: ["data-behind"] }});
}}"""


@pytest.mark.parametrize(
    "lesson", [pytest.param("noise_leaks", id="bands"), pytest.param("wrong_place", id="curves")]
)
def test_a_moved_chart_is_the_chart_plotly_draws(
    bare: str, open_page: OpenPage, lesson: str
) -> None:
    page = open_page(
        f"{bare}/{catalogue.find(lesson).chapter}?lesson={lesson}&step=5&x=-2,0,1.5&draws=200"
    )
    page.emulate_media(reduced_motion="reduce")
    open_drawers(ready(page), MORE, "curves")
    page.locator("[data-figure=curves] .js-line").first.wait_for()
    caught_up(page)
    before = page.evaluate(SEEN)
    page.evaluate(WATCH)
    control(page, "noise_high").fill("1.05")
    page.wait_for_function("window.moved")
    caught_up(page)
    moved, drawn = page.evaluate("moved"), page.evaluate(SEEN)
    assert moved != before
    assert [words for words, *_ in moved] == [words for words, *_ in drawn]
    assert [at for _, *at in moved] == [pytest.approx(at, abs=0.6) for _, *at in drawn]
