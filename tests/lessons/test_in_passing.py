"""What the texts say of torch in passing, and no lab or prediction computes."""

import math
import warnings

import pytest
import torch
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

from lessons.outputs.catalogue import find
from lessons.tricks import gradient_override_map, identity


def leaf(*numbers):
    return torch.tensor(numbers, dtype=torch.float64, requires_grad=True)


def said(slug, words):
    assert words in " ".join(step.text for step in find(slug).prose.steps), "the text says it"


def replied(slug, words):
    replies = [option.reply for one in find(slug).prose.questions for option in one.options]
    assert any(words in reply for reply in replies), "the text says it"


@pytest.mark.parametrize(
    ("entries", "refused"), [((1.0,), "expected 2, got 1"), ((1.0, None), None)]
)
def test_a_function_returns_an_entry_for_a_plain_number_too(entries, refused):
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, scale):
            return scale * x

        @staticmethod
        def backward(ctx, upstream):
            return entries[0] * upstream, *entries[1:]

    said("several_inputs", "one entry for each argument of `forward`")
    x = leaf(2.0)
    y = Scaled.apply(x, 3.0).sum()
    if refused:
        with pytest.raises(RuntimeError, match=refused):
            y.backward()
    else:
        y.backward()
        assert x.grad.tolist() == [1.0]


def test_a_hook_counts_in_the_backward_pass_and_a_map_in_the_forward_pass():
    replied("scope", "registered when the backward pass runs")
    x = leaf(1.0)
    late, removed = 2 * x, 2 * x
    handle = removed.register_hook(lambda g: 10 * g)
    loss = (late + removed).sum()
    late.register_hook(lambda g: 10 * g)
    handle.remove()
    loss.backward()
    assert x.grad.tolist() == [20.0 + 2.0]
    x = leaf(1.0)
    with gradient_override_map({"identity": lambda op, g: 10 * g}):
        inside = identity(x)
    inside.sum().backward()
    assert x.grad.tolist() == [10.0], "the block is over, the rule stays"


def test_a_detach_in_a_rule_raises_only_where_no_other_path_is_left():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, upstream):
            (x,) = ctx.saved_tensors
            return upstream * 3 * x.detach() ** 2

    said("second_derivative", "you lose a term, mostly without an error")
    x = leaf(2.0)
    (slope,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.autograd.grad(slope.sum(), x)
    (slope,) = torch.autograd.grad((Cube.apply(x) ** 2).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(slope.sum(), x)
    assert second.item() != 30 * 2.0**4, "the true one: a term is lost, and nothing says so"


def test_once_differentiable_raises_instead_of_losing_a_term():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        @once_differentiable
        def backward(ctx, upstream):
            return upstream * 2 * ctx.saved_tensors[0]

    replied("second_derivative", "`@once_differentiable` on `backward`")
    x = leaf(2.0)
    (slope,) = torch.autograd.grad((Square.apply(x) ** 2).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()


@pytest.mark.parametrize(("packed", "recorded"), [(False, True), (True, False)])
def test_a_reentrant_checkpoint_does_not_look_into_a_list(packed, recorded):
    replied("frozen_checkpoint", "a tensor in a list does not count")

    def double(given):
        return 2 * (given[0] if packed else given)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that no input requires a gradient
        y = checkpoint(double, [leaf(1.0)] if packed else leaf(1.0), use_reentrant=True)
    assert y.requires_grad == recorded


def test_a_negative_noise_makes_no_nan_of_zero():
    said("noise_leaks", "except at $x = 0$")
    lesson = find("noise_leaks")
    given = {"x": "0, 1", "noise_low": "-1", "noise_high": "-0.5"}
    value = lesson.compute(lesson.validate(given))["forward"].y
    assert value[0] == 0
    assert math.isnan(value[1])


@pytest.mark.parametrize(
    "cut",
    [torch.argmax, lambda loss: loss > 1, lambda loss: loss.long()],
    ids=["argmax", ">", "long"],
)
def test_an_op_of_torch_can_end_the_path(cut):
    said("cut_by_accident", "`argmax`, a comparison and `.long()` end the path")
    assert cut(leaf(1.0, 2.0)).grad_fn is None


def test_a_clip_by_norm_keeps_one_nan_per_sample_and_per_batch():
    said("one_outlier", "Neither clip repairs a NaN")
    samples = torch.tensor([[1.0, 2.0], [math.nan, 1.0]])

    def clipped(gradient):
        return gradient * (1 / gradient.norm()).clamp(max=1)

    assert clipped(samples.mean(0)).isnan().all()
    assert torch.stack([clipped(one) for one in samples]).mean(0).isnan().all()


def test_the_small_number_under_a_root_is_zero_in_float16():
    replied("not_finite", "float16 1e-12 is rounded to 0")
    for dtype, finite in ((torch.float32, True), (torch.float16, False)):
        d = torch.zeros(2, dtype=dtype, requires_grad=True)
        ((d * d).sum() + 1e-12).sqrt().backward()
        assert d.grad.isfinite().all() == finite


def test_neither_stop_keeps_a_batch_norm_from_its_statistics():
    replied("two_passes", "still updates its running statistics. The same goes for `no_grad`")
    layer, fake = torch.nn.BatchNorm1d(1), torch.full((4, 1), 10.0, requires_grad=True)
    layer(fake.detach())
    once = layer.running_mean.item()
    with torch.no_grad():
        layer(fake)
    assert 0 < once < layer.running_mean.item()
