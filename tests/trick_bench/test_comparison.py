"""What the bench says is so: same value, whose gradient gets the noise, the articles' numbers."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from lessons.bench.comparison import compare
from lessons.bench.figures import figures
from lessons.bench.setting import read_setting
from lessons.bench.words import label
from lessons.playground.document.as_text import from_text, to_text
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document
from lessons.playground.running.execute import gradients, run_forward
from lessons.playground.running.outcome import run_checked
from lessons.playground.running.sweep import curves_of
from tests.engine.test_reference import CASES
from tests.support.amount import seeds
from tests.support.present import present
from tests.trick_bench.settings import PAIRS, random_form

REFERENCE = {case["id"]: case for case in CASES}


def at_draw(document: Document, seed: int) -> tuple[float, float | None]:
    """Value and gradient at the point, in a run of its own with another draw."""
    noises = (one.noise and replace(one.noise, seed=seed) for one in document.inputs)
    drawn = (replace(one, noise=noise) for one, noise in zip(document.inputs, noises, strict=True))
    checked = check(document.with_(inputs=tuple(drawn)))
    made = run_forward(checked)
    x = made.inputs[checked.over.name]
    (gradient,) = gradients(made.output, [x])
    entry = document.entry - 1
    value = made.output.flatten()[entry] if made.output.shape == x.shape else made.output.sum()
    return float(value.detach()), None if gradient is None else float(gradient.flatten()[entry])


@pytest.mark.parametrize(("trick", "function"), PAIRS)
def test_no_trick_changes_the_value(trick: str, function: str) -> None:
    for seed in seeds(3, 60):
        setting = read_setting(random_form(random.Random(seed), trick, function))
        plain = run_forward(check(setting.document()))
        for variant in setting.variants:
            document = setting.document(variant)
            made = run_forward(check(document))
            torch.testing.assert_close(made.output, plain.output, rtol=1e-12, atol=1e-12)
            assert from_text(to_text(document)).output == document.output, (
                "and it can be taken home"
            )


@pytest.mark.parametrize("seed", seeds(40, 2000))
def test_the_sentence_is_true(seed: int) -> None:
    comparison = compare(read_setting(random_form(random.Random(seed))))
    said = " ".join(text for _, text in comparison.sentence)
    documents = comparison.a.document, comparison.b.document
    drawn = [[at_draw(one, each) for each in range(30)] for one in documents]
    now = [at_draw(one, comparison.setting.values["in.u.seed"]) for one in documents]
    (value_a, a), (value_b, b) = now
    assert ("Same value" in said) == bool(
        np.isclose(value_a, value_b, rtol=1e-9, atol=0, equal_nan=True)
    )
    if a is None or b is None:
        same = a is b
    else:
        same = bool(np.isclose(a, b, rtol=1e-9, atol=0, equal_nan=True))
    assert ("Same gradient" in said) == same
    gets = []
    for runs in drawn:
        found = [gradient for _, gradient in runs if gradient is not None and np.isfinite(gradient)]
        gets.append(bool(found) and np.ptp(found) > 1e-9 * max(map(abs, found)))
    if "noise" in said:
        words = {(True, True): "both", (True, False): "of A only", (False, True): "of B only"}
        assert words.get((gets[0], gets[1]), "neither") in said
    else:
        assert gets == [False, False]
    if "sg(" in said:
        for document in documents:
            made = run_forward(check(document))
            assert gradients(made.output, [made.inputs["u"]]) == (None,)


@pytest.mark.parametrize("seed", seeds(10, 200))
def test_along_the_edges_come_the_gradients_of_the_results(seed: int) -> None:
    """Along all edges that leave an input together comes the input's gradient."""
    comparison = compare(read_setting(random_form(random.Random(seed))))
    for side in (comparison.a, comparison.b):
        x = side.outcome.over
        whole = side.gradient
        shares = [one for (name, _), sent in side.edges.items() if name == x for one in sent]
        if len(shares) == 1 or not any(x in bracket for bracket in side.variant.around):
            assert sum(one or 0.0 for one in shares) == pytest.approx(
                whole or 0.0, rel=1e-9, nan_ok=True
            )


@pytest.mark.parametrize(
    ("form", "edge", "sent"),
    [
        # A clip at x acts on the sum of what two lines send.
        ({"trick": "clipping", "own": "x * sin(x)"}, ("x", "y"), (2 * math.cos(2) * -1,)),
        ({"trick": "reversal", "own": "x * sin(x)"}, ("x", "z"), (math.sin(-2.0),)),
    ],
)
def test_two_lines_that_read_x_each_send_a_part_though_a_trick_is_at_x(
    form: dict[str, str], edge: tuple[str, str], sent: tuple[float, ...]
) -> None:
    comparison = compare(read_setting(form | {"function": "own", "noise": "off"}))
    assert comparison.b.edges[edge] == pytest.approx(sent)


def test_numbers_that_differ_in_the_titles_are_not_the_same_in_the_sentence() -> None:
    form = {"dtype": "bfloat16", "a.cut": "none", "in.u.ends": "1, 1.06"}
    words = "".join(text for _, text in compare(read_setting(form)).sentence)
    assert "Different gradient" in words
    assert label("noise_reaches_a") in words


@pytest.mark.parametrize("side", "ab")
def test_a_rule_of_many_ops_leaves_both_as_many_points_and_draws(side: str) -> None:
    rule = "+".join(f"sin({n} * grad)" for n in range(8))
    form = {"trick": "override_map", "in.x.values": "1" + ", 1" * 63}
    made = compare(read_setting(form | {f"{side}.rule": "typed", f"{side}.expression": rule}))
    assert made.a.outcome.room == made.b.outcome.room
    assert present(made.a.outcome.room).draws < 64, "fewer than without the rule"


@pytest.mark.parametrize(
    ("limits", "whose"), [((4, 4), "both"), ((12.5, 12.5), "b"), ((2, 13), "a"), ((12, 13), "none")]
)
def test_a_limit_binds_if_it_changes_a_number(limits: tuple[float, float], whose: str) -> None:
    form = {"trick": "clipping", "a.limit": str(limits[0]), "b.limit": str(limits[1])}
    *_, (_, said) = compare(read_setting(form)).sentence
    assert said == label(f"binds_{whose}", norm="12.7"), "of 12, 3 and 3, by value and by norm"


def test_a_value_of_another_shape_than_x_is_summed() -> None:
    form = {"trick": "override_map", "function": "w_times_i", "b.rule": "own"}
    comparison = compare(read_setting(form | {"in.W.values": "0.5", "in.I.values": "1, 2"}))
    assert comparison.a.at_point("forward") == 1.5


@pytest.mark.parametrize(
    ("case", "form"),
    [
        ("clip", {"function": "identity"}),
        ("halve", {"function": "six_squared"}),
        ("outputs", {"function": "three_outputs"}),
    ],
)
def test_the_articles_numbers_are_two_choices_away(case: str, form: dict[str, str]) -> None:
    comparison = compare(read_setting({"trick": "override_map"} | form))
    value, a, b = comparison.a.at_point("forward"), comparison.a.gradient, comparison.b.gradient
    expected = {
        "clip": (3.0, 1.0, 0.1),
        "halve": (324.0, 216.0, 108.0),
        "outputs": (5.0, None, 3.0),
    }
    assert (value, a, b) == expected[case]
    if case == "outputs":
        kept = REFERENCE["s2_multi_pyfunc_all"]
        assert (
            kept["gradients"]["da"]
            == present(comparison.b.outcome.gradients["trick_gradient"]["a"]).tolist()
        )
        assert comparison.b.outcome.gradients["trick_gradient"]["b"] is None


def test_charts_of_both_have_the_same_axes() -> None:
    comparison = compare(read_setting({"trick": "clipping"}))
    layouts = {one.name: one.layout for one in figures(comparison)}
    for name in ("forward", "gradient"):
        for axis in ("xaxis", "yaxis"):
            a, b = (layouts[f"{side}.{name}"][axis]["range"] for side in "ab")
            assert a == b


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"own": "sqrt(x)", "in.x.values": "0", "a.by": "none", "b.by": "value"}, "∞ and"),
        ({"own": "x / floor(u)", "a.by": "none", "b.by": "none"}, "reaches both"),
        ({"own": "x * 0.1", "dtype": "float32"}, "Same value"),
    ],
)
def test_the_sentence_is_true_of_infinities_and_in_float32(form: dict[str, str], said: str) -> None:
    comparison = compare(read_setting({"trick": "clipping", "function": "own"} | form))
    assert said in " ".join(text for _, text in comparison.sentence)


@pytest.mark.parametrize("seed", seeds(20, 500))
def test_the_bands_ends_are_torchs_percentiles(seed: int) -> None:
    """To the sign of a zero, with NaN and infinities among the numbers."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randn(2, 64, 9, dtype=torch.float64, generator=generator)
    some = torch.tensor([-0.0, 0.0, torch.nan, torch.inf])
    there = torch.randint(0, 4 + seed % 9, drawn.shape, generator=generator)
    for place, number in enumerate(some):
        drawn[there == place] = number
    kept = torch.where(drawn.isfinite(), drawn, torch.nan)
    low, high = torch.nanquantile(kept, torch.tensor([0.05, 0.95], dtype=torch.float64), dim=1)
    series = curves_of(["forward", "trick_gradient"], torch.arange(9.0), drawn)
    for one, *expected in zip(series, kept.nanmean(1), low, high, strict=True):
        for made, right in zip((one.y, one.low, one.high), expected, strict=True):
            assert present(made).tobytes() == right.numpy().tobytes()


def test_what_is_kept_of_a_text_leaves_the_numbers_alone() -> None:
    random_ = random.Random(3)
    forms = [random_form(random_) for _ in range(12)]
    for form in (form | {"in.u.seed": str(seed)} for form in forms for seed in (1, 2)):
        for side in (made := compare(read_setting(form))).a, made.b:
            again = run_checked(check(side.document))
            for one, other in zip(side.outcome.curves[:2], again.curves[:2], strict=True):
                assert one.y.tobytes() == other.y.tobytes()
