"""The step size of a quantiser: which gradient it gets, and what each one is the slope of."""

import numpy as np
import pytest

from lessons.chapters.in_the_wild.learned_step.lesson import COUNTS, levels
from lessons.outputs.catalogue import find

LESSON = find("learned_step")


def at(cuts=(), **given):
    return LESSON.compute(LESSON.validate(given), cuts=cuts)


def test_straight_through_leaves_two_where_plain_rounding_and_the_difference_say_six():
    facts = at().facts
    found = [facts[name] for name in ("sum_trick", "sum_true", "difference", "sum_intended")]
    assert found == pytest.approx([2, 6, 6, 2])
    assert facts["whole_sum"] == 0
    assert at(rounding="plain").facts["sum_trick"] == pytest.approx(6)
    assert at(rounding="whole").facts["sum_trick"] == 0


@pytest.mark.parametrize("edge", [("mul", 0), ("mul", 1), ("add", 0)])
def test_what_the_text_says_of_both_paths_stays_under_the_scissors(edge):
    whole, snipped = at(point="2").facts, at([edge], point="2").facts
    for name in ("code", "together"):
        assert snipped[name] == whole[name]


@pytest.mark.parametrize("bits", ["2", "3", "5", "8"])
@pytest.mark.parametrize("s", ["0.013", "0.3", "1.7", "40"])
@pytest.mark.parametrize("scale", ["none", "lsq"])
def test_autograd_gives_lsqs_formula_within_and_beyond_the_limits(bits, s, scale):
    x = ", ".join(f"{one:.4f}" for one in np.linspace(-3.037, 3.041, 40))
    result = at(x=x, s=s, bits=bits, scale=scale)
    trick, meant = (result[f"{role}_gradient"].y for role in ("trick", "intended"))
    assert trick == pytest.approx(meant, abs=1e-9)
    v = np.clip(result["forward"].x / float(s), *levels(int(bits)))
    by_hand = np.where(np.isin(v, levels(int(bits))), v, np.round(v) - v)
    factor = 1 / np.sqrt(40 * levels(int(bits))[1]) if scale == "lsq" else 1
    assert trick == pytest.approx(by_hand * factor, abs=1e-9)


def test_the_graph_reads_the_step_size_on_two_paths():
    """The cut at the division leaves the plain gradient; the other one leaves minus v."""
    division = at(cuts=[("div", 1)])
    assert division["trick_gradient"].y == pytest.approx(division["true_gradient"].y)
    result = at(cuts=[("mul", 0)])
    assert result["trick_gradient"].y == pytest.approx([-1 / 3, -4 / 3, -7 / 3, 0])


def test_a_finite_difference_is_the_plain_gradient_until_a_weight_jumps():
    for h in ("1e-6", "0.001", "0.01", "0.02"):
        assert at(h=h).facts["difference"] == pytest.approx(6)
        assert at(h=h, rounding="plain").facts["difference"] == pytest.approx(6)
    # 0.7 is 2 steps of 0.3, and 3 of 0.25: its value jumps in between.
    assert at(h="0.05").facts["difference"] == pytest.approx(1)


def test_with_lsqs_factor_the_ratio_does_not_grow_with_the_number_of_weights():
    for bits in ("2", "3", "4", "8"):
        planes = at(bits=bits).planes
        plain, lsq = planes["ratio_none"], planes["ratio_lsq"]
        root = np.sqrt(np.array(COUNTS) * levels(int(bits))[1])
        assert plain == pytest.approx(lsq * root)
        assert (np.diff(plain) > 0).all()
        assert plain[-1] / plain[0] > 5
        assert 0.3 < lsq[-1] / lsq[0] < 2
    planes = at(bits="3").planes  # 6,400 layers of 1,024 weights give 11.8 and 0.212
    assert (planes["ratio_none"][-1], planes["ratio_lsq"][-1]) == pytest.approx(
        (11.8, 0.212), rel=0.08
    )


def test_a_small_step_size_clips_all_and_each_sends_the_highest_code():
    for rounding in ("straight", "plain"):
        result = at(s="0.02", rounding=rounding)
        assert result["trick_gradient"].y == pytest.approx([3, 3, 3, 3])


def test_at_a_limit_torch_and_the_formula_differ_and_a_note_says_so():
    result = at(x="0.9375", s="0.3125")  # exactly three steps
    assert result["trick_gradient"].y == pytest.approx([0])
    assert result["intended_gradient"].y == pytest.approx([3])
    assert "exactly a limit" in result.notes[0].text
    assert not at().notes
