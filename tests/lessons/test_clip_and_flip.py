"""The lessons clip_identity and flip against closed forms."""

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
    gradient_override_map,
    identity,
    register_gradient,
)
from lessons.tricks.registry import registered_names
from tests.support import course

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
