"""Loss scaling: against the format's own limits, torch's GradScaler, and steps taken by hand."""

import itertools
from functools import partial

import pytest
import torch
from torch.amp import GradScaler

from lessons.chapters.gone_missing.scaled.lesson import largest, scaled, smallest
from lessons.outputs.catalogue import find
from tests.support import course

run = partial(course.run, "scaled")


@pytest.mark.parametrize("narrow", ["float16", "bfloat16", "float32"])
def test_the_ends_of_a_format_are_where_torch_rounds_to_0_and_to_infinity(narrow: str) -> None:
    dtype = getattr(torch, narrow)
    ends = torch.tensor([smallest(narrow), smallest(narrow) / 2], dtype=torch.float64)
    assert ends.to(dtype).tolist() == [smallest(narrow), 0.0]
    top = torch.tensor([largest(narrow), 1.01 * largest(narrow)], dtype=torch.float64).to(dtype)
    assert top.tolist() == [largest(narrow), float("inf")]


def test_a_small_scale_loses_gradients_to_0_and_a_large_one_to_infinity() -> None:
    facts = [run(scale=str(2**power)).facts for power in (0, 6, 16, 28)]
    assert [(one["zeros"], one["infinite"]) for one in facts] == [(2, 0), (0, 0), (0, 0), (0, 1)]
    lesson = find("scaled")
    values = lesson.validate({"scale": "1"})
    sizes, _ = lesson.lab.figures(lesson.compute(values), values)
    assert sizes.title == lesson.lab.words("sizes_title", all=7, zeros=2, lost=0)


def test_a_clip_before_unscaling_leaves_the_limit_over_the_scale() -> None:
    for scale, limit in itertools.product(("65536", "1048576"), ("1", "0.25")):
        facts = run(clip="before", scale=scale, limit=limit).facts
        assert facts["length_used"] == pytest.approx(float(limit) / float(scale), rel=1e-3)
        right = run(clip="after", scale=scale, limit=limit).facts
        assert right["length_used"] == pytest.approx(right["length_true"], rel=1e-3)
    facts = run(clip="after", limit="0.0001").facts
    assert (facts["length_used"], facts["length_right"]) == pytest.approx((1e-4, 1e-4), rel=1e-3)
    result = run(clip="before")
    over_scales = next(one.y for one in result.curves if one.name == "trick_gradient")
    assert over_scales[16] == pytest.approx(result.facts["length_used"]), "at the lab's own scale"


def test_a_step_with_one_infinity_is_skipped_and_halves_the_scale() -> None:
    (asked,) = (
        s for s in find("scaled").prose.steps if s.question and s.question.name == "overflow"
    )
    result = run(**asked.lab)
    assert result.facts["skip_moved"] == 0.0
    good = run()
    assert good.facts["skip_moved"] == pytest.approx(good.facts["length_true"], rel=1e-3)
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


LARGEST = "3.4\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}10³⁸"


def test_the_largest_number_fits_its_sentence_in_every_format() -> None:
    said = {narrow: run(narrow=narrow).facts["largest_said"] for narrow in
            ("float16", "bfloat16", "float32")}  # fmt: skip
    assert said == {"float16": "65,504", "bfloat16": LARGEST, "float32": LARGEST}
