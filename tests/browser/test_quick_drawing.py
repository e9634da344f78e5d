"""Charts moved without Plotly look as Plotly would have drawn them."""

import numpy as np
import pytest
from playwright.sync_api import Page

from lessons.outputs import catalogue
from tests.browser.looking import caught_up, ready, trains
from tests.browser.test_drag import shown

pytestmark = pytest.mark.browser

# Every line, area and word of a chart, by its box as far as it lies on the axes: Plotly leaves out
# what lies outside or on a straight stretch. Of each mark, alone or in a path of many, its place.
# Then all that belongs to the axes, with what it says.
SEEN = """(figure) => {
  const plot = document.querySelector(`[data-figure=${figure}] .gl-plot`);
  const {left, top} = plot.getBoundingClientRect();
  const edge = plot.querySelector('.nsewdrag').getBoundingClientRect();
  const box = (node, cut) => {
    const {left: l, top: t, right: r, bottom: b} = node.getBoundingClientRect();
    if (!cut) return [l, t, r, b];
    const {max, min} = Math;
    return [max(l, edge.left), max(t, edge.top), min(r, edge.right), min(b, edge.bottom)];
  };
  const all = (query) => [...plot.querySelectorAll(query)];
  const seen = (node, cut = false) => {
    const [l, t, r, b] = box(node, cut);
    return [node.getAttribute('class') + node.textContent, l - left, t - top, r - left, b - top];
  };
  const places = (mark) => [...(mark.hasAttribute('transform')
    ? mark.getAttribute('transform').matchAll(/\\(([-\\d.]+),([-\\d.]+)\\)/g)
    : mark.getAttribute('d').matchAll(/M([-\\d.]+),([-\\d.]+)m/g))]
    .map((one) => ['mark', Number(one[1]), Number(one[2])]);
  const marks = all('.scatterlayer .points > .point').flatMap(places);
  const axes = all('.xtick, .ytick, .xgrid, .ygrid, .zl, .xtitle, .ytitle').map((one) => seen(one));
  return [
    ...all('.scatterlayer path')
      .filter((path) => !path.matches('.point') ||
        (path.hasAttribute('transform') && path.parentElement.childElementCount < 12))
      .filter((path) => path.style.strokeWidth !== '0px' || path.matches('.js-fill, .point'))
      .map((path) => seen(path, true)),
    ...all('.textpoint').filter((word) => word.textContent).map((word) => seen(word)),
    ...marks,
    ...axes.sort(([one, ...a], [other, ...b]) =>
      one < other ? -1 : one > other ? 1 : a[0] - b[0] || a[1] - b[1]),
  ];
}"""

# Keep what is shown before Plotly takes over, each time that the lab has drawn.
WATCH = f"""(figure) => {{
  const {{react}} = Plotly;
  window.reacted = false;
  Plotly.react = (plot, ...rest) => {{
    window.reacted ||= plot.closest(`[data-figure=${{figure}}]`) !== null;
    return react(plot, ...rest);
  }};
  new MutationObserver(() => {{ if (!window.reacted) window.quick = ({SEEN})(figure); }})
    .observe(document.querySelector('.gl-lab'), {{attributeFilter: ['data-seq']}});
}}"""


def still(page: Page) -> Page:
    """Nothing eases: a line that does is not yet where it is going when it is looked at."""
    page.emulate_media(reduced_motion="reduce")
    return page


LONG = pytest.mark.long  # more of a kind that is looked at on every commit


@pytest.mark.parametrize(
    ("lesson", "figure", "control", "value"),
    [
        pytest.param("noise_leaks", "gradient", "noise_high", "1.3", id="a strip below"),
        pytest.param("noise_leaks", "histogram", "noise_high", "2.6", id="both axes"),
        pytest.param("two_players", "plane", "turn", "3", id="arrows"),
        pytest.param("wrong_place", "gradient", "noise_high", "1.3", id="curves"),
        pytest.param("scope", "gradient", "factor", "9", id="longer labels", marks=LONG),
        pytest.param("value_or_norm", "length", "g1", "1.6", id="names at the lines", marks=LONG),
        pytest.param(
            "flip",
            "gradient",
            "scale",
            "0.3",
            id="names and an axis",
            marks=[LONG, pytest.mark.xfail(reason="issue 36: not drawn quickly any more")],
        ),
    ],
)
def test_a_moved_chart_is_the_chart_plotly_draws(bare, open_page, lesson, figure, control, value):
    chapter = catalogue.find(lesson).chapter
    query = f"lesson={lesson}&step=6" + ("&x=-2,0,1.5" if "noise" in control else "")
    page = still(open_page(f"{bare}/{chapter}?{query}", height=1800))
    shown(page, figure)
    caught_up(page)
    page.wait_for_timeout(200)  # Plotly's own last strokes
    before = page.evaluate(SEEN, figure)
    page.evaluate(WATCH, figure)
    page.locator(f"[data-control={control}] input").first.fill(value)
    page.wait_for_function("window.quick && window.reacted")
    caught_up(page)
    quick, slow = page.evaluate("window.quick"), page.evaluate(SEEN, figure)
    assert len(quick) > 10
    assert figure == "histogram" or any(name == "mark" for name, *_ in quick)
    assert quick != before, "nothing moved before Plotly drew"
    assert [name for name, *_ in quick] == [name for name, *_ in slow]
    assert [at for _, *at in quick] == [pytest.approx(at, abs=0.6) for _, *at in slow]


# Of every crowd of points how many elements it is made of, and where each point lies.
CROWDS = """(figure) => {
  const plot = document.querySelector(`[data-figure=${figure}] .gl-plot`);
  const numbers = (found) => [...found].map((one) => [Number(one[1]), Number(one[2])]);
  return [...plot.querySelectorAll('.scatterlayer .points:has(.point)')].map((crowd) => {
    const marks = [...crowd.querySelectorAll('.point')];
    const at = marks.flatMap((mark) => numbers(mark.hasAttribute('transform')
      ? mark.getAttribute('transform').matchAll(/\\(([-\\d.]+),([-\\d.]+)\\)/g)
      : mark.getAttribute('d').matchAll(/M([-\\d.]+),([-\\d.]+)m/g)));
    return [marks.length, at];
  });
}"""


def test_a_crowd_of_points_lies_where_plotly_draws_it(bare, open_page):
    page = still(open_page(f"{bare}/reversal?lesson=moons&step=2&seeds=2&steps=1", height=2400))
    trains(ready(page))
    shown(page, "data")
    page.wait_for_function(f"({CROWDS})('data').length === 6")
    page.wait_for_timeout(800)
    caught_up(page)
    before = page.evaluate(CROWDS, "data")
    page.evaluate(WATCH.replace(SEEN, CROWDS), "data")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_function("window.quick && window.reacted")
    caught_up(page)
    quick, slow = page.evaluate("window.quick"), page.evaluate(CROWDS, "data")
    assert [count for count, *_ in quick] == [1] * 6
    assert [count for count, *_ in slow] == [150] * 6
    assert [at for *_, at in quick] != [at for *_, at in before], "nothing moved before Plotly drew"
    for (_, at), (_, slow_at) in zip(quick, slow, strict=True):
        assert np.array(at) == pytest.approx(np.array(slow_at), abs=0.6)
