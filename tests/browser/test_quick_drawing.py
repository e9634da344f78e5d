"""Charts moved without Plotly look as Plotly would have drawn them."""

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

# Every line, area and mark of a chart as points in its own pixels: a line by its ends and extent,
# since Plotly leaves out what lies on a straight stretch.
SEEN = """() => [...document.querySelectorAll('[data-figure=gradient] .scatterlayer path')]
  .filter((path) => path.style.strokeWidth !== '0px' || path.matches('.js-fill, .point'))
  .map((path) => {
    const box = path.getBBox();
    const shift = path.getAttribute('transform')?.match(/-?[\\d.]+/g)?.map(Number) ?? [0, 0];
    return [box.x + shift[0], box.y + shift[1], box.width, box.height];
  })"""


def caught_up(page: Page) -> None:
    page.wait_for_function(
        "document.querySelector('.gl-lab').dataset.caughtUp"
        " === document.querySelector('.gl-lab').dataset.seq"
    )


@pytest.mark.parametrize("lesson", ["noise_leaks", "wrong_place", "right_place"])
def test_a_moved_chart_is_the_chart_plotly_draws(app, open_page, lesson):
    query = f"lesson={lesson}&step=4&noise_low=0.5&noise_high=1.5&x=-2,0,1.5"
    page = open_page(f"{app.url}/stop_gradient?{query}", height=1800)
    page.wait_for_selector('.gl-lab[data-ready="true"]')
    page.wait_for_timeout(800)
    caught_up(page)
    before = page.evaluate(SEEN)
    # Keep what was shown before Plotly took over.
    page.evaluate(
        f"""() => {{
          const lab = document.querySelector('.gl-lab');
          const react = Plotly.react;
          window.reacted = 0;
          Plotly.react = (...all) => {{
            window.reacted += 1;
            window.quick ??= ({SEEN})();
            return react(...all);
          }};
        }}"""
    )
    slider = page.locator("[data-control=noise_high] input[type=range]")
    slider.press("ArrowRight")
    page.wait_for_function("window.quick")
    caught_up(page)
    quick, slow = page.evaluate("window.quick"), page.evaluate(SEEN)
    assert page.evaluate("window.reacted") >= 1
    assert len(quick) == len(slow) > 10
    assert quick != before, "nothing moved before Plotly drew"
    assert quick == [pytest.approx(one, abs=0.5) for one in slow]
