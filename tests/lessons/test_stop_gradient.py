"""Chapter 1's lessons on stop_gradient itself, against formulas, TensorFlow and other beliefs."""

from dataclasses import replace

import numpy as np
import pytest

from lessons import find
from tests.engine.reference import CASES


def run(slug: str, **given: str):
    lesson = find(slug)
    return lesson.compute(lesson.validate(given))


# -- two passes


@pytest.mark.parametrize(
    ("stopped", "factor"),
    [("nothing", 3), ("first", 1), ("second", 2), ("both", 0), ("no_grad", 3)],
)
def test_each_stop_leaves_its_part_of_the_product_rule(stopped, factor):
    result = run("two_passes", stopped=stopped, x="-2, -0.3, 0, 3")
    x = result["forward"].x
    assert np.allclose(result["trick_gradient"].y, factor * x**2, rtol=1e-12)
    assert np.allclose(result["intended_gradient"].y, factor * x**2, rtol=1e-12)
    assert np.allclose(result["forward"].y, x**3, rtol=1e-12)


def test_nothing_is_none_and_not_zero():
    facts = run("two_passes").facts
    assert facts["leaf_alone"] == "None"
    assert facts["moved_none"] == 0
    assert facts["moved_zero"] == pytest.approx(0.1 * 0.5)
    assert CASES["s0_stop_gradient_none"]["gradients"]["ds_dx"] is None


def test_another_program_makes_other_answers_right():
    lesson = find("two_passes")
    assert lesson.predictions["path"](lesson.compute(lesson.validate({}))) == "first"
    for stopped, answer in {"second": "second", "both": "none", "nothing": "whole"}.items():
        result = lesson.compute(lesson.validate({"stopped": stopped}))
        assert lesson.predictions["path"](result) == answer
    assert lesson.predictions["block"](result) == "whole"
    swapped = replace(lesson, program=lambda x, stopped: x.detach() ** 2 * x)
    answer = lesson.predictions["block"](swapped.compute(lesson.validate({})))
    assert answer == "same"


# -- all of them


CURVES = {"two_passes": [{"x": "-2, -0.4, 0.3, 3"}]}


@pytest.mark.parametrize(
    ("slug", "given"), [(slug, given) for slug, cases in CURVES.items() for given in cases]
)
def test_true_gradient_is_the_central_difference_of_the_forward_value(slug, given):
    h = 1e-6
    here = run(slug, **given)
    x = here["forward"].x

    def beside(step: float):
        return run(slug, **given | {"x": ", ".join(map(repr, (x + step).tolist()))})["forward"].y

    slope = (beside(h) - beside(-h)) / (2 * h)
    assert np.allclose(slope, here["true_gradient"].y, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("slug", CURVES)
def test_the_recorded_run_has_the_labs_gradients(slug):
    lesson = find(slug)
    values = lesson.validate({})
    recorded = lesson.record(values).gradients["x"]
    assert recorded.numbers == lesson.compute(values)["trick_gradient"].y.tolist()
