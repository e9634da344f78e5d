"""The lessons clip_identity and flip against closed forms and TensorFlow's numbers."""

import re

import numpy as np
import pytest
import torch

from lessons.chapters.override_map.clip_identity.lesson import CURVE as CLIP
from lessons.chapters.override_map.clip_identity.lesson import clip_identity
from lessons.chapters.reversal.flip.lesson import CURVE as FLIP
from lessons.chapters.reversal.flip.lesson import flip
from lessons.kit.gradients import gradient
from lessons.outputs.catalogue import find
from lessons.tricks import (
    TrickError,
    flip_gradient,
    gradient_override_map,
    identity,
    register_gradient,
)
from lessons.tricks.registry import registered_names
from tests.engine.reference import CASES
from tests.support import course
from tests.support.course import run

PLAIN = {"limit": 0.1, "factor": 1.0, "uses": 1, "place": "inside", "power": "1"}
CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def clip_roles(x, **settings):
    return course.by_role(CLIP.experiment, clip_identity, PLAIN | settings, x=x)


def flip_roles(x, **settings):
    settings = {"scale": 1.0, "beside": 0.0, "flips": 1} | settings
    return course.by_role(FLIP.experiment, flip, settings, x=x)


@pytest.mark.parametrize("limit", [0.0, 0.1, 1.0, 7.5])
@pytest.mark.parametrize("factor", [-2.0, 0.0, 0.3, 3.0])
@pytest.mark.parametrize("uses", [1, 2, 5])
@pytest.mark.parametrize("power", ["1", "2"])
def test_a_clipped_identity_equals_its_closed_forms(limit, factor, uses, power):
    x = torch.tensor([-3.0, -0.2, 0.0, 0.5, 3.0], dtype=torch.float64)
    settings = {"limit": limit, "factor": factor, "uses": uses, "power": power}
    one = np.full(5, factor) if power == "1" else 2 * factor**2 * x.numpy()
    behind = np.ones(5) if power == "1" else 2 * factor * x.numpy()  # dL/dy of one use
    expected = {
        "inside": np.clip(uses * one, -limit, limit),
        "outside": factor * np.clip(uses * behind, -limit, limit),
        "each": uses * np.clip(one, -limit, limit),
    }
    for place, trick in expected.items():
        roles = clip_roles(x, place=place, **settings)
        assert np.allclose(roles["trick_gradient"].numpy(), trick, **CLOSE), place
        assert np.allclose(roles["true_gradient"].numpy(), uses * one, **CLOSE)
        assert np.allclose(
            roles["intended_gradient"].numpy(), np.clip(uses * one, -limit, limit), **CLOSE
        )
        forward = uses * (factor * x.numpy()) ** int(power)
        assert np.allclose(roles["forward"].numpy(), forward, **CLOSE)


@pytest.mark.parametrize(
    ("given", "arrives", "true"),
    [
        ({"factor": "1"}, 0.1, 1.0),  # the article's two numbers
        ({"factor": "3", "place": "outside"}, 0.3, 3.0),
        ({"factor": "3", "place": "inside"}, 0.1, 3.0),
    ],
)
def test_the_numbers_the_course_speaks_of_come_out(given, arrives, true):
    result = run("clip_identity", x="3", limit="0.1", uses="1", power="1", **given)
    assert result["trick_gradient"].y[0] == pytest.approx(arrives, abs=1e-12)
    assert result["true_gradient"].y[0] == pytest.approx(true, abs=1e-12)


def test_tensorflow_gives_the_same_clipped_gradients():
    article = CASES["s1_clip_article"]
    x = torch.tensor(article["inputs"]["input"], dtype=torch.float32)
    roles = clip_roles(x)
    assert roles["forward"].tolist() == article["outputs"]["output_clip"]
    assert roles["trick_gradient"].tolist() == article["gradients"]["with_clipping"]
    assert roles["true_gradient"].tolist() == article["gradients"]["without_clipping"]
    for name, given in (
        ("s1_clip_upstream", {}),
        ("s1_clip_after_scale", {}),
        ("s1_clip_two_identities", {"place": "each", "uses": 2}),
    ):
        case = CASES[name]
        x, factor = (torch.tensor(case["inputs"][n], dtype=torch.float64) for n in ("x", "c"))
        roles = clip_roles(x, factor=factor, **given)
        assert roles["trick_gradient"].tolist() == pytest.approx(case["gradients"]["dout_dx"])
        assert float(roles["forward"].sum()) == pytest.approx(case["outputs"]["out"])


@pytest.mark.parametrize("scale", [-2.0, -1.0, 0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("flips", [0, 1, 2, 3])
def test_reversals_multiply_the_gradient_of_their_own_path(scale, flips):
    x = torch.tensor([-1.5, 0.0, 1.0, 4.0], dtype=torch.float64)
    roles = flip_roles(x, scale=scale, beside=0.7, flips=flips)
    cube = 3 * x.numpy() ** 2
    assert np.allclose(roles["trick_gradient"].numpy(), (-scale) ** flips * cube + 0.7, **CLOSE)
    assert np.allclose(roles["true_gradient"].numpy(), cube + 0.7, **CLOSE)
    assert np.allclose(roles["intended_gradient"].numpy(), -scale * cube + 0.7, **CLOSE)
    assert np.allclose(roles["forward"].numpy(), x.numpy() ** 3 + 0.7 * x.numpy(), **CLOSE)


def test_tensorflow_gives_the_same_reversed_gradients():
    for name in ("s1_flip_l1", "s1_flip_l0"):
        case = CASES[name]
        x = torch.tensor(case["inputs"]["x"], dtype=torch.float64)
        roles = flip_roles(x, scale=case["inputs"]["l"])
        assert roles["trick_gradient"].tolist() == pytest.approx(case["gradients"]["dL_dx"])
        assert float(roles["forward"].sum()) == pytest.approx(case["outputs"]["L"])
    case = CASES["s1_flip_l_tensor"]
    x = torch.tensor(case["inputs"]["x"], dtype=torch.float64)
    for scale, row in zip(case["inputs"]["l"], case["gradients"]["dL_dx_per_l"], strict=True):
        assert flip_roles(x, scale=scale)["trick_gradient"].tolist() == pytest.approx(row)


def test_summing_before_the_rule_is_told_apart_from_clipping_each_use():
    """The answers follow the numbers: another program makes another answer right."""

    def answers(program):
        return course.answers("clip_identity", program, "summed", "placed")

    def with_each(x, place, **settings):
        return clip_identity(x, place="each" if place == "inside" else "inside", **settings)

    assert answers(clip_identity) == ["sum", "scaled"]
    assert answers(with_each) == ["clip", "limit"]
    assert answers(CLIP.plain) == ["none", "none"]


def test_what_a_reversal_turns_is_told_apart():
    def answers(program):
        return course.answers("flip", program, "reversed", "twice")

    def all_of_x(x, scale, beside, flips):
        y = flip_gradient(x, scale) if flips else x
        return y**3 + beside * y

    def signs(x, scale, beside, flips):
        return flip(x, 1.0, beside, flips)

    assert answers(flip) == ["path", "product"]
    assert answers(all_of_x)[0] == "everything"
    assert answers(signs) == ["sign_only", "nothing"]
    assert answers(FLIP.plain) == ["nothing", "nothing"]
    assert answers(lambda x, scale, beside, flips: flip(x, scale, beside, min(flips, 1)))[1] == (
        "path"
    )


def test_the_registered_name_in_the_text_gives_the_same_numbers():
    step = next(one for one in find("clip_identity").prose.steps if "ClipTo" in one.text)
    (code,) = re.findall(r"```python\n(.*?)```", step.text, re.DOTALL)
    x = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)
    scope = {"x": x, "limit": 0.1, "register_gradient": register_gradient}
    scope |= {"identity": identity, "gradient_override_map": gradient_override_map}
    if "ClipTo" not in registered_names():  # a second run in the same process would be refused
        exec(code, scope)
        assert gradient(scope["y"], x).tolist() == [0.1]
        with pytest.raises(TrickError, match="taken"):
            exec(code, scope)


def test_each_identity_is_an_overridden_op_of_the_graph():
    lesson = find("clip_identity")
    recording = lesson.record(lesson.validate({"place": "each", "uses": "4"}))
    assert [node.type for node in recording.ops if node.kind == "overridden"] == ["identity"] * 4


def test_an_in_place_op_on_a_reversals_output_is_refused_unless_it_is_a_copy():
    class Copied(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, upstream):
            return -2 * upstream

    x = torch.tensor([1.0, -1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        torch.relu_(flip_gradient(x, 2.0))
    assert gradient(torch.relu_(Copied.apply(x)).sum(), x).tolist() == [-2, 0]
