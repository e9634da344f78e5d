"""What else is dragged in charts: limits, an angle, a scale, a start, a point of one's program."""

import math

import pytest

from tests.browser.looking import control, exact, ready
from tests.browser.test_drag import at, pull
from tests.support.amount import also

pytestmark = pytest.mark.browser

LIMIT = "/clipping?lesson=where_to_clip&step=3"


@pytest.mark.parametrize(
    ("address", "figure", "start", "end", "name", "expected"),
    [
        (LIMIT, "gradient", (3.5, 3), (3.5, 7), "limit", 7),
        (
            "/clipping?lesson=not_finite&step=3&clip=value",
            "gradient",
            (1, 1),
            (1, 0.5),
            "limit",
            0.5,
        ),
        *also(
            ("/clipping?lesson=value_or_norm&step=2", "length", (200, 1.5), (200, 2), "limit", 2),
            ("/reversal?lesson=two_players&step=1", "plane", (0.47, 0.17), (0.3, 0.5), "turn", 59),
            ("/in_the_wild?lesson=critic_leak&step=1", "updates", (0, 0.5), (0, 0.8), "v", 0.8),
            (
                "/in_the_wild?lesson=critic_leak&step=1",
                "updates",
                (40, 1),
                (40, 0.7),
                "reward",
                0.7,
            ),
        ),
        (
            "/gone_missing?lesson=scaled&step=1&scale=65536",
            "shares",
            (16, 0.02),
            (10, 0.02),
            "scale",
            1024,
        ),
    ],
    ids=["length", "components", "over angles", "angle", "start", "level", "scale"],
)
def test_what_is_drawn_of_a_setting_sets_it(
    bare, open_page, address, figure, start, end, name, expected
):
    page = ready(open_page(bare + address))
    here, there = at(page, figure, *start), at(page, figure, *end)
    pull(page, here, there[0] - here[0], there[1] - here[1])
    page.mouse.up()
    page.wait_for_function(f"/[?&]{name}=/.test(location.search)")
    set_to = float(exact(page, name).input_value())
    assert math.isclose(set_to, expected, rel_tol=0.12), set_to


def test_a_point_of_ones_own_program_is_dragged(bare, open_page):
    page = ready(open_page(bare + "/playground"))
    values = control(page, "in.x.values")
    before = [float(one) for one in values.input_value().strip("[]").split(",")]
    place = page.evaluate(
        """() => {
          const plot = document.querySelector('[data-figure=forward] .gl-plot');
          const trace = plot.data.find(({meta}) => meta?.part === 'points');
          return [trace.x[0], trace.y[0]];
        }"""
    )
    here, there = at(page, "forward", *place), at(page, "forward", place[0] + 0.5, place[1])
    pull(page, here, there[0] - here[0], 0)
    page.mouse.up()
    page.wait_for_function(
        "before => document.querySelector('[data-control=\"in.x.values\"] input').value !== before",
        arg=str(before),
    )
    after = [float(one) for one in values.input_value().strip("[]").split(",")]
    assert after[1:] == before[1:]
    assert after[0] == pytest.approx(before[0] + 0.5, abs=0.05)
