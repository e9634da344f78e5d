"""Cutting an edge in a lab does what the lesson's text says."""

import numpy as np
import pytest

from tests.support.course import run


@pytest.mark.parametrize(
    ("slug", "edge", "given", "stopped"),
    [
        ("critic_leak", ("mul", 1), {}, {"stop": "yes"}),
        ("router", ("div", 1), {}, {"gate": "stopped"}),
        ("unroll", ("mul_2", 1), {"every": "4"}, {"every": "2"}),
    ],
)
def test_a_cut_does_what_the_stop_does(
    slug: str, edge: tuple[str, int], given: dict[str, str], stopped: dict[str, str]
) -> None:
    cut, other, whole = run(slug, [edge], **given), run(slug, **stopped), run(slug, **given)
    for found, expected in ((cut.series, other.series), (cut.curves, other.curves)):
        for one, two in zip(found, expected, strict=True):
            assert np.allclose(one.y, two.y, rtol=1e-12, equal_nan=True), one.name
    assert not np.allclose(cut["trick_gradient"].y, whole["trick_gradient"].y)


@pytest.mark.parametrize(
    ("slug", "edge", "starts"),
    [
        ("critic_leak", ("mul", 1), ("example_", "visit_", "step_", "spread_", "guess_")),
        *(
            ("two_estimators", edge, ("needed", "baseline_", "best_", "pair_expected"))
            for edge in [("add", 0), ("sub", 0), ("pow", 0), ("div", 0)]
        ),
        *(
            ("learned_step", edge, ("code", "together"))
            for edge in [("mul", 0), ("mul", 1), ("add", 0)]
        ),
    ],
)
def test_what_the_text_says_of_an_example_stays(
    slug: str, edge: tuple[str, int], starts: tuple[str, ...]
) -> None:
    whole, snipped = run(slug).facts, run(slug, [edge]).facts
    names = [name for name in whole if name.startswith(starts)]
    assert all(any(name.startswith(start) for name in names) for start in starts)
    assert [snipped[name] for name in names] == [whole[name] for name in names]


def test_the_step_size_of_a_quantiser_is_read_on_two_paths() -> None:
    """The cut at the division leaves the plain gradient; the other one leaves minus v."""
    division = run("learned_step", [("div", 1)])
    assert division["trick_gradient"].y == pytest.approx(division["true_gradient"].y)
    product = run("learned_step", [("mul", 0)])
    assert product["trick_gradient"].y == pytest.approx([-1 / 3, -4 / 3, -7 / 3, 0])
