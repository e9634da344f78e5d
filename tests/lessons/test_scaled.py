"""Loss scaling: against the format's own limits, torch's GradScaler, and steps taken by hand."""

import itertools

import numpy as np
import pytest
import torch
from torch.amp import GradScaler

from lessons.chapters.gone_missing.scaled.figures import largest, smallest
from lessons.chapters.gone_missing.scaled.lesson import WORDS, scaled
from lessons.outputs.catalogue import find
from lessons.text import number


def run(program=scaled, **given: str):
    lesson = find("scaled")
    values = lesson.validate(given)
    return lesson.lab.compute(program, values)


def asked(name):
    lesson = find("scaled")
    return dict(lesson.step_of(next(one for one in lesson.prose.questions if one.name == name)).lab)


@pytest.mark.parametrize("narrow", ["float16", "bfloat16", "float32"])
def test_the_ends_of_a_format_are_where_torch_rounds_to_0_and_to_infinity(narrow):
    dtype = getattr(torch, narrow)
    ends = torch.tensor([smallest(narrow), smallest(narrow) / 2], dtype=torch.float64)
    assert ends.to(dtype).tolist() == [smallest(narrow), 0.0]
    top = torch.tensor([largest(narrow), 1.01 * largest(narrow)], dtype=torch.float64).to(dtype)
    assert top.tolist() == [largest(narrow), float("inf")]


@pytest.mark.parametrize("power", [0, 5, 10, 16, 20])
def test_autograd_by_hand_in_float16_gives_what_the_tricks_give(power):
    """The loss multiplied, the gradient divided, as a training loop does it."""
    scale = 2.0**power
    result = run(scale=str(int(scale)))
    x = torch.tensor(result["forward"].x, dtype=torch.float32, requires_grad=True)
    loss = ((x.half() ** 2).float() / 32768).sum()
    torch.autograd.backward(loss * scale)
    assert np.array_equal(result["trick_gradient"].y, (x.grad / scale).double().numpy())


def test_gradients_at_most_half_the_smallest_number_arrive_as_0_and_a_scale_brings_them_back():
    at_one, scaled_up = run(scale="1").facts, run().facts
    assert at_one["zeros"] == at_one["below_smallest"] == 2
    assert at_one["zeros"] < at_one["below_normal"] < at_one["many"]
    assert (scaled_up["zeros"], scaled_up["infinite"]) == (0, 0)
    assert np.allclose(run()["trick_gradient"].y, run()["true_gradient"].y, rtol=3e-3)


def test_the_shares_fall_and_rise_with_the_scale():
    curves = {one.name: one.y for one in run().curves}
    assert (np.diff(curves["zeros"]) <= 0).all()
    assert (np.diff(curves["lost"]) >= 0).all()
    both = (curves["zeros"] == 0) & (curves["lost"] == 0)
    assert both.sum() > 8, "a window of scales at which nothing is lost"
    assert (curves["zeros"][0], curves["lost"][0]) == (pytest.approx(2 / 7), 0)


def test_bfloat16_and_float32_lose_nothing_at_any_scale():
    for narrow in ("bfloat16", "float32"):
        curves = {one.name: one.y for one in run(narrow=narrow).curves}
        assert not curves["zeros"].any()
        assert not curves["lost"].any()


def test_a_clip_before_unscaling_leaves_the_limit_over_the_scale():
    for scale, limit in itertools.product(("65536", "1048576"), ("1", "0.25")):
        facts = run(clip="before", scale=scale, limit=limit).facts
        assert facts["length_used"] == pytest.approx(float(limit) / float(scale), rel=1e-3)
        right = run(clip="after", scale=scale, limit=limit).facts
        assert right["length_used"] == pytest.approx(right["length_true"], rel=1e-3)
    assert run(clip="after", limit="0.0001").facts["length_used"] == pytest.approx(1e-4, rel=1e-3)


def test_after_unscaling_the_length_stays_where_nothing_is_lost():
    curves = {one.name: one.y for one in run(clip="after").curves}
    inside = curves["lost"] == 0
    used = curves["trick_gradient"][inside]
    assert np.allclose(used, used[0], rtol=1e-2)
    before = {one.name: one.y for one in run(clip="before").curves}["trick_gradient"][inside]
    assert before[-1] < 1e-3 * before[0]


def test_a_step_with_one_infinity_is_skipped_and_halves_the_scale():
    result = run(**asked("overflow"))
    assert result.facts["infinite"] == 1
    assert (result.facts["skip_moved"], result.facts["skip_after"]) == (0.0, 2.0**27)
    good = run()
    assert good.facts["skip_moved"] == pytest.approx(good.facts["length_true"], rel=1e-3)
    assert good.facts["skip_after"] == good.facts["scaler_start"] == 65536
    scaler = GradScaler("cpu", init_scale=2.0**28)
    weight = torch.tensor(result["forward"].x, dtype=torch.float32, requires_grad=True)
    before, optimizer = weight.detach().clone(), torch.optim.SGD([weight], lr=1.0)
    scaler.scale(scaled(weight, 32768, 1.0, "none", 1.0, "float16").sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert torch.equal(weight, before), "as torch's own optimizer has it"
    assert scaler.get_scale() == result.facts["skip_after"]
    assert good.facts["scaler_wait"] == scaler.get_growth_interval()
    assert (scaler.get_growth_factor(), scaler.get_backoff_factor()) == (2.0, 0.5)


def test_micro_batches_of_unlike_length_give_another_gradient_than_the_batch():
    facts = run().facts
    assert facts["acc_came"] == pytest.approx(-2.64, abs=0.005)
    assert facts["acc_whole"] == facts["acc_mended"] == pytest.approx(1.39, abs=0.005)
    weighted = (2 * facts["acc_first"] + 30 * facts["acc_second"]) / 32
    assert facts["acc_whole"] == pytest.approx(weighted, rel=1e-5)
    assert facts["acc_came"] == pytest.approx(facts["acc_half"], rel=1e-6)


LARGEST = "3.4\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}10³⁸"


def test_the_largest_number_fits_its_sentence_in_every_format():
    said = {narrow: run(narrow=narrow).facts["largest_said"] for narrow in
            ("float16", "bfloat16", "float32")}  # fmt: skip
    assert said == {"float16": "65,504", "bfloat16": LARGEST, "float32": LARGEST}


BEYOND = WORDS("beyond", format="float16", most=number(65504.0, 5))


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"x": "1e5"}, WORDS("x_beyond", beyond=BEYOND)),
        ({"x": "300"}, WORDS("square_beyond", beyond=BEYOND)),
        ({"scale": "1073741824", "tokens": "1"}, WORDS("already", beyond=BEYOND)),
        ({"scale": "536870912"}, WORDS("scaled_beyond", beyond=BEYOND)),
        ({"scale": "536870912", "clip": "after"}, WORDS("by_norm")),
    ],
)
def test_what_is_not_finite_has_its_reason(given, reason):
    assert any(reason in note.text for note in run(**given).notes)
