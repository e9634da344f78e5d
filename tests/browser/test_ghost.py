"""The curves before the last change stay, pale, until the next one."""

import re

import pytest
from playwright.sync_api import Page

from tests.browser.looking import ready

pytestmark = pytest.mark.browser

# The pale paths of a chart and the line of the gradient itself, in the window's pixels.
SEEN = """(figure) => {
  const root = document.querySelector(`[data-figure=${figure}]`);
  const points = (path) => [...path.getAttribute('d').matchAll(/(-?[\\d.]+),(-?[\\d.]+)/g)]
    .map(([, x, y]) => [Number(x), Number(y)]);
  const ghost = root.querySelector('.gl-ghost');
  return {
    before: [...ghost.querySelectorAll('path')].map(points),
    now: [...root.querySelectorAll('.scatterlayer .js-line')].map(points),
    words: [...root.querySelectorAll('.gl-ghost text')].map((one) => one.textContent),
  };
}"""
SLIDER = "[data-control=scale] input[type=range]"
FLIP = "/flip?scale=1&answers=all"


@pytest.fixture
def flip(bare, open_page) -> Page:
    """The lab of `flip`, its questions answered: nothing is covered."""
    return ready(open_page(f"{bare}/flip?scale=1&x=-1,1,2&answered=1"))


def seen(page, figure="gradient"):
    return page.evaluate(SEEN, figure)


def caught_up(page):
    page.wait_for_function(
        "() => { const {seq, caughtUp} = document.querySelector('.gl-lab').dataset;"
        " return seq && seq === caughtUp; }"
    )
    page.wait_for_timeout(200)


def longest(paths):
    return max(paths, key=len, default=[])


def test_what_was_there_before_a_change_stays_pale_until_the_next(flip):
    caught_up(flip)
    first = seen(flip)
    assert first["before"] == first["words"] == []
    was = longest(first["now"])
    slider = flip.locator(SLIDER)
    slider.press("PageUp")
    caught_up(flip)
    then = seen(flip)
    assert then["words"] == ["before"]
    assert len(longest(then["before"])) == len(was)
    is_now = longest(then["now"])
    slider.press("PageUp")
    caught_up(flip)
    after = seen(flip)
    # The first curve is forgotten: pale is the one of a press ago.
    if same_frame(flip):
        assert apart(longest(after["before"]), is_now) < 2


def same_frame(page):
    return bool(re.search("scale", page.url)) or True


def apart(one, other):
    return max((abs(a[1] - b[1]) for a, b in zip(one, other, strict=True)), default=99)
