"""One bad sample in a batch: against closed forms, torch.func, and clips of other programs."""

import math
import runpy

import numpy as np
import pytest
import torch
from torch.func import grad, vmap

from lessons.chapters.in_the_wild.one_outlier.batch import batch, each, ordinary
from lessons.chapters.in_the_wild.one_outlier.lab import EXPERIMENT
from lessons.chapters.in_the_wild.one_outlier.lesson import one_outlier
from lessons.contract.lab import Start
from lessons.outputs.catalogue import find
from tests.support.course import right


def trick_gradient(x, y, clip, limit):
    settings = {"clip": clip, "limit": limit}
    w = torch.zeros(2, dtype=x.dtype, requires_grad=True)
    start = Start({"w": w, "x": x, "y": y}, settings)
    return EXPERIMENT.by_role(one_outlier, start)["trick_gradient"]


def run(program=one_outlier, **given: str):
    lesson = find("one_outlier")
    values = lesson.validate(given)
    return lesson.lab.compute(program, values)


def cosine(one, other):
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def rows(size=100.0, angle=120.0, many=7):
    return batch(ordinary(3, many), size, angle)


def by_hand(size=100.0, angle=120.0):
    """The samples' gradients at w = 0 with nothing but arithmetic."""
    turn = math.radians(angle)
    bad = (math.cos(turn), math.sin(turn))
    found = []
    for place, (a, b) in enumerate([bad, *ordinary(3, 7)]):
        error = 2 * a + b + (size if place == 0 else 0.0)  # w · x − y, at w = 0
        found.append((error * a, error * b))
    return np.array(found)


@pytest.mark.parametrize("size", [0.0, 3.0, 100.0, 1e6])
@pytest.mark.parametrize("limit", [0.0, 0.3, 1.0, 50.0])
def test_each_clip_is_its_closed_form(size, limit):
    samples = by_hand(size)
    mean = samples.mean(0)
    lengths = np.linalg.norm(samples, axis=1, keepdims=True)
    expected = {
        "none": mean,
        "batch": mean * min(1.0, limit / np.linalg.norm(mean)),
        "sample": (samples * np.minimum(1.0, limit / np.maximum(lengths, 1e-300))).mean(0),
    }
    for clip, gradient in expected.items():
        result = run(clip=clip, size=repr(size), limit=repr(limit))
        assert np.allclose(result["trick_gradient"].y, gradient, rtol=1e-9, atol=1e-12)
        assert np.allclose(result["true_gradient"].y, mean, rtol=1e-9)
        assert np.allclose(result["intended_gradient"].y, samples[1:].mean(0), rtol=1e-9)
        assert np.allclose(result.planes["raw"], samples, rtol=1e-9)


def test_the_copies_give_what_vmap_of_grad_gives():
    x, y = rows()
    w = torch.zeros(2, dtype=torch.float64)
    apart = vmap(grad(lambda w, x, y: (x @ w - y[0]) ** 2 / 2), (None, 0, 0))(w, x, y)
    assert torch.allclose(apart, each(x, y))
    clipped = (apart * (1.0 / apart.norm(dim=1, keepdim=True)).clamp(max=1.0)).mean(0)
    came = trick_gradient(x, y, "sample", 1.0)
    assert torch.allclose(came, clipped, rtol=1e-12)


def test_clip_grad_norm_gives_the_batchs_clip():
    x, y = rows()
    w = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    one_outlier(w, x, y, "none", 1.0).backward()
    torch.nn.utils.clip_grad_norm_([w], 1.0)
    came = trick_gradient(x, y, "batch", 1.0)
    assert torch.allclose(w.grad, came, rtol=1e-5)


def test_the_batchs_clip_keeps_the_direction_and_each_samples_nearly_the_ordinary_one():
    facts = {clip: run(clip=clip).facts for clip in ("none", "batch", "sample")}
    assert facts["batch"]["cos_used"] == pytest.approx(facts["none"]["cos_used"], abs=1e-9)
    assert facts["batch"]["cos_used"] < 0.1 < 0.95 < facts["sample"]["cos_used"]
    assert facts["batch"]["length_used"] == pytest.approx(1.0)


def test_the_part_of_the_bad_sample_is_bounded_by_limit_over_batch():
    ends = [run(clip="sample", size=size)["trick_gradient"].y for size in ("1000", "1000000")]
    assert np.allclose(*ends, atol=1e-12)  # its size no longer matters
    for many, limit in (("8", "1"), ("2", "0.5"), ("32", "3")):
        facts = run(batch=many, limit=limit).facts
        assert facts["most"] == pytest.approx(float(limit) / int(many), rel=1e-6)
    x, y = rows(1e6)
    alone = trick_gradient(x, y, "sample", 1.0)
    others = torch.stack([g * min(1.0, 1.0 / float(g.norm())) for g in each(x, y)[1:]]).sum(0) / 8
    assert float((alone - others).norm()) == pytest.approx(1 / 8)


def test_with_a_low_limit_nearly_all_samples_are_shortened_to_one_length():
    samples = run(clip="sample", limit="0.1").planes["samples"]
    assert (np.linalg.norm(samples, axis=1) > 0.0999).sum() >= 7
    assert (np.linalg.norm(run(clip="sample").planes["samples"], axis=1) > 0.999).sum() < 7


def test_the_numbers_of_three_weights_and_64_samples():
    """One input a hundred times too large: cosine .39 with the batch's clip, .98 with each's."""
    torch_seed = torch.Generator().manual_seed(0)
    x = torch.randn(64, 3, generator=torch_seed)
    x[0] *= 100
    y = torch.ones(64, 1)
    w = torch.zeros(3, requires_grad=True)
    clean = grad(lambda w: one_outlier(w, x[1:], y[1:], "none", 1.0))(w.detach())

    def kept(clip):
        came = torch.autograd.grad(one_outlier(w, x, y, clip, 0.5), w)[0]
        return cosine(came.numpy(), clean.numpy())

    assert kept("batch") == pytest.approx(0.39, abs=0.005)
    assert kept("sample") == pytest.approx(0.98, abs=0.005)


def test_the_answers_follow_the_numbers():
    """Another program makes another answer right."""
    lesson = find("one_outlier")
    (way, far) = (lesson.step_of(one).lab for one in lesson.prose.questions[:2])

    def answers(program):
        return [
            right(lesson, name, run(program, **dict(given)))
            for name, given in (("way", way), ("far", far))
        ]

    def swapped(w, x, y, clip, limit):
        return one_outlier(w, x, y, {"batch": "sample", "sample": "batch"}.get(clip, clip), limit)

    def halved(w, x, y, clip, limit):
        """The bad sample's gradient cut to that of the ordinary ones together."""
        if clip == "batch":
            factor = torch.ones_like(y)
            factor[0] = 0.09
            return one_outlier(w, x * factor.sqrt(), y * factor.sqrt(), "none", limit)
        return one_outlier(w, x, y, "none", limit)

    assert answers(one_outlier) == ["outlier", "share"]
    assert answers(swapped) == ["clean", "limit"]
    assert answers(halved) == ["between", "plain_share"]


def test_only_batch_norm_lets_one_sample_into_the_gradient_of_another():
    facts = run().facts
    mixed = {name: facts[f"mixed_{name}"] for name in ("linear", "layernorm", "groupnorm")}
    assert set(mixed.values()) == {0.0}
    assert facts["mixed_batchnorm"] > 0.1


def test_what_has_no_direction_is_named():
    assert any("The used gradient is 0" in note.text for note in run(clip="batch", limit="0").notes)
    assert not run().notes


def test_the_bug_mixes_from_the_second_micro_batch_on():
    bug = find("one_outlier").bug
    x, y = torch.tensor([[1.0, 0.0], [0.8, -0.6]]), torch.tensor([-1.0, -300.0])

    def came(batches):
        weight = torch.zeros(2, requires_grad=True)
        bug.broken(weight, batches, 1.0)
        return weight.grad.norm().item()

    assert came([(x, y)]) < 2.0
    assert came([(x[:1], y[:1]), (x[1:], y[1:])]) > 100.0


def test_the_file_to_take_home_agrees_with_vmap(capsys):
    names = runpy.run_path(str(find("one_outlier").folder / "in_torch.py"))
    x, y = rows()
    w = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    slope = torch.autograd.grad(names["one_outlier"](w, x, y, "sample", 1.0), w)[0]
    assert torch.allclose(slope, trick_gradient(x, y, "sample", 1.0))


@pytest.mark.parametrize("tracks", [True, False])
def test_vmap_of_grad_stops_with_an_error_at_a_batch_norm(tracks):
    layer = torch.nn.BatchNorm1d(4, track_running_stats=tracks)
    weights = dict(layer.named_parameters())

    def loss(weights, x):
        out = torch.func.functional_call(layer, (weights, dict(layer.named_buffers())), (x[None],))
        return (out.sum() - 1) ** 2

    with pytest.raises((RuntimeError, ValueError)):
        vmap(grad(loss), (None, 0))(weights, torch.ones(8, 4))


def test_vmap_asks_a_custom_function_for_a_context_and_a_rule():
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, upstream):
            return 2 * upstream

    class Ready(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x.clone()

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, upstream):
            return 2 * upstream

    x = torch.ones(3)
    with pytest.raises(RuntimeError, match="setup_context"):
        torch.func.vmap(torch.func.grad(Doubled.apply))(x)
    assert torch.func.vmap(torch.func.grad(Ready.apply))(x).tolist() == [2, 2, 2]
    Ready.generate_vmap_rule = False
    with pytest.raises(RuntimeError, match="vmap"):
        torch.func.vmap(torch.func.grad(Ready.apply))(x)
