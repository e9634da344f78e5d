"""The cliff: how steep it is, and what clipping does to descents from many starts."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.clipping.cliff.figures import WORDS
from lessons.chapters.clipping.cliff.lesson import (
    LAB,
    at_the_wall,
    cliff,
    value_or_norm,
)
from lessons.chapters.clipping.cliff.recurrent import (
    ARMS,
    SIDE,
    VALLEY,
    WHOLE,
    WINDOWS,
    Descents,
    drawn_starts,
    errors_at,
    surface,
)
from lessons.chapters.clipping.cliff.space import shades
from lessons.outputs.catalogue import find
from lessons.training.under_way import finished
from tests.support import course

pytestmark = pytest.mark.slow

LESSON = find("cliff")
CPU = torch.device("cpu")
NAMES = WORDS("none"), WORDS("by_value"), WORDS("by_norm")


values = partial(course.settings, LESSON)


def run(program=cliff, **given):
    return finished(LAB, program, values(**given)).facts


def unclipped(w, b, value_limit, norm_limit):
    """The lesson's program with its trick taken out."""
    unlimited = torch.tensor(math.inf, dtype=w.dtype)
    return cliff(w, b, unlimited, unlimited)


def forward_mode(w, b):
    """Error and its derivatives by w and b, carried along with x: numpy alone, no autograd."""
    x, by_w, by_b = np.full_like(w, 0.5), np.zeros_like(w), np.zeros_like(w)
    for _ in range(50):
        s = 1 / (1 + np.exp(-x))
        slope = w * s * (1 - s)
        x, by_w, by_b = w * s + b, s + slope * by_w, 1 + slope * by_b
    s = 1 / (1 + np.exp(-x))
    outer = 2 * (s - 0.7) * s * (1 - s)
    return (s - 0.7) ** 2, outer * by_w, outer * by_b


@pytest.fixture(scope="module")
def whole():
    """As the lab opens, with two seeds, to the end."""
    return run(seeds=2)


def clipping_helps(facts):
    """What the lesson claims of clipping by norm."""
    return (
        facts["norm_stayed"] > 0.8
        and facts["norm_left"] < 0.2
        and facts["none_stayed"] < 0.15
        and facts["none_left"] > 0.85
    )


def test_by_norm_most_starts_reach_the_valley_and_without_clipping_most_are_thrown_out(whole):
    assert clipping_helps(whole)
    assert whole["norm_stayed_lowest"] > whole["none_stayed_highest"] + 0.5, "in every seed"
    assert 0.5 < whole["none_reached"] < 0.8, (
        "some left the window and end there, and the text says so"
    )


def test_without_the_trick_the_bounds_fail():
    bare = run(unclipped, seeds=1)
    assert not clipping_helps(bare)
    for what in ("reached", "left", "stayed"):
        shares = [bare[f"{arm}_{what}"] for arm in ARMS]
        # On the wall the last bit of an exponential, which depends on the place in a batch, counts.
        assert max(shares) - min(shares) < 0.05


def test_by_value_and_by_norm_do_not_behave_alike_here(whole):
    assert whole["norm_stayed"] - whole["value_stayed"] > 0.5
    assert value_or_norm(LESSON.compute(values())) == "norm"
    assert value_or_norm(LESSON.compute(values()), unclipped) == "same"

    def swapped(w, b, value_limit, norm_limit):
        other = [0, 2, 1]
        return cliff(w, b, value_limit[other], norm_limit[other])

    assert value_or_norm(LESSON.compute(values()), swapped) == "value"


@pytest.mark.long
def test_the_papers_span_of_limits(whole):
    """From half to ten times the average norm: slow at one end, too long a step at the other."""
    facts = LESSON.compute(values()).facts
    low = run(seeds=1, norm_limit=facts["half_mean"])
    high = run(seeds=1, norm_limit=facts["ten_means"])
    assert 0.3 < low["norm_stayed"] < whole["norm_stayed"] - 0.2
    assert low["norm_left"] < 0.1
    assert high["norm_reached"] > 0.9
    assert high["norm_left"] > 0.8, "the longest step is longer than half the window is high"


@pytest.mark.parametrize("window", WINDOWS.values())
def test_the_surface_against_derivatives_carried_forward(window):
    error, norm = surface(cliff, window, CPU, torch.float64)
    w, b = np.meshgrid(*(np.linspace(*ends, 120) for ends in window))
    expected, by_w, by_b = forward_mode(w, b)
    assert np.allclose(error.numpy(), expected, rtol=1e-6, atol=1e-9)
    assert np.allclose(norm.numpy(), np.hypot(by_w, by_b), rtol=1e-6, atol=1e-9)


def test_the_landscape_is_drawn_from_the_errors_of_the_program():
    w, b = (torch.linspace(*ends, 40, dtype=torch.float64) for ends in WHOLE)
    error, _ = unclipped(w, b, None, None)
    assert torch.allclose(errors_at(w, b), error, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("window", WINDOWS.values())
def test_the_landscape_has_a_wall_in_the_shade_and_a_valley_below_it(window):
    seen = shades(window)
    places = {}
    for name, of in {"wall": seen < 0.2, "valley": seen > 1}.items():
        rows, columns = np.nonzero(of)
        places[name] = rows, columns
        assert len(rows) > 0.001 * seen.size, name
    (wall, along), (valley, across) = places["wall"], places["valley"]
    assert np.ptp(along) > 0.4 * seen.shape[1], "it runs through the picture"
    for column in np.intersect1d(along, across):
        assert valley[across == column].min() < wall[along == column].max()


def test_a_path_is_drawn_to_the_first_place_outside():
    result = LESSON.compute(values())
    figure, _ = LESSON.lab.figures(result, values())
    drawn = {trace["name"]: trace["x"] for trace in figure.data if trace.get("name")}
    none, by_value, by_norm = NAMES
    assert figure.title == WORDS("thrown", names=WORDS("thrown_at", name=none, update=1))
    points = {name: len(x) for name, x in drawn.items()}
    assert points == {none: 2, by_value: 201, by_norm: 201}


def test_on_the_edge_fifty_equal_steps_make_a_geometric_sum():
    facts = LESSON.compute(values()).facts
    s = 1 / (1 + math.exp(-0.5))
    factor = facts["edge_w"] * s * (1 - s)
    assert facts["edge_factor"] == pytest.approx(factor)
    assert facts["edge_b"] == pytest.approx(0.5 - facts["edge_w"] * s)
    outer = abs(2 * (s - 0.7) * s * (1 - s)) * (factor**50 - 1) / (factor - 1)
    # What rounding adds to x grows as fast as the gradient does.
    assert facts["edge_norm"] == pytest.approx(outer * math.hypot(s, 1), rel=1e-3)
    assert facts["edge_norm"] > 100 * facts["closer_steepest"]


@pytest.mark.parametrize("place", [(4.3, -2.2), (6.0, -2.0), (3.2, -3.3)])
def test_the_gradients_at_the_start_by_formula(place):
    w, b = place
    result = LESSON.compute(values(w=w, b=b, value_limit=0.05, norm_limit=0.02))
    error, *plain = forward_mode(np.array(w), np.array(b))
    plain = np.array(plain)
    assert result.facts["error"] == pytest.approx(float(error))
    assert result["true_gradient"].y == pytest.approx(plain)
    assert result["trick_gradient"].y == pytest.approx(np.clip(plain, -0.05, 0.05))
    shorter = min(1.0, 0.02 / np.linalg.norm(plain))
    assert result["intended_gradient"].y == pytest.approx(shorter * plain)


def test_the_path_from_the_marked_start():
    result = LESSON.compute(values())
    facts = result.facts
    assert facts["none_left_at"] == 1
    assert facts["norm_left_at"] == facts["value_left_at"] == 0
    assert (facts["norm_in_valley"], facts["value_in_valley"]) == (1, 0)
    assert facts["norm_longest"] <= facts["longest"] * (1 + 1e-12)
    assert at_the_wall(result) == "out"
    # Clipped in both components, every step by value goes along one diagonal.
    steps = np.diff(result.planes["places"][..., ARMS.index("value")], axis=0)
    cut = steps[np.isclose(np.abs(steps), 0.3).all(1)]
    assert len(cut) > 5
    assert np.allclose(np.abs(cut[:, 0]), np.abs(cut[:, 1]))


def test_where_it_is_flat_the_answer_is_another():
    assert at_the_wall(LESSON.compute(values(w=6.5, b=-1.6, path=20))) == "slow"
    assert at_the_wall(LESSON.compute(values(w=3.6, b=-1.66, rate=0.1))) == "valley"


def test_a_start_lies_in_each_cell():
    (w_low, w_high), (b_low, b_high) = WHOLE
    w, b = drawn_starts(3).numpy()
    columns = ((w - w_low) / (w_high - w_low) * SIDE).astype(int)
    rows = ((b - b_low) / (b_high - b_low) * SIDE).astype(int)
    assert sorted(rows * SIDE + columns) == list(range(SIDE**2))
    assert not torch.equal(drawn_starts(3), drawn_starts(4))


def test_what_has_left_and_what_has_arrived_is_counted_start_by_start():
    given = values(seeds=1, steps=30)
    descents = Descents(cliff, given)
    ever = np.zeros((len(ARMS), 1, SIDE**2), dtype=bool)
    for done in range(30):
        descents.step(done, given)
        w, b = descents.places.numpy()
        ever |= ~((w >= 3) & (w <= 7) & (b >= -3.5) & (b <= -1.5))
    w, b = descents.places.numpy()
    with np.errstate(over="ignore"):
        arrived = forward_mode(w, b)[0] < VALLEY
    numbers = descents.look(30, given).numbers
    for index, arm in enumerate(ARMS):
        assert numbers[f"{arm}_left"][0] == ever[index].mean()
        # Where the wall is steepest, two ways of computing the error may differ.
        assert numbers[f"{arm}_reached"][0] == pytest.approx(arrived[index].mean(), abs=0.02)
        stayed = (arrived & ~ever)[index].mean()
        assert numbers[f"{arm}_stayed"][0] == pytest.approx(stayed, abs=0.02)


def test_a_rate_beyond_all_measure_loses_starts_and_no_picture():
    given = values(seeds=1, steps=5, rate=1000, norm_limit=1e6, value_limit=1e6)
    history = finished(LAB, cliff, given)
    assert history.facts["none_left"] > 0.9
    (shares,) = LAB.training.figures(history, given)
    assert shares.title == WORDS("shares_title", shares=", ".join(f"{name} 0%" for name in NAMES))
