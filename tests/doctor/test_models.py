"""Models of the usual kinds are traced without false alarms, quickly and within bounds."""

import time

import pytest
import torch
from torch import nn
from torch.nn import Module

from lessons.gradient_tricks.doctor import trace
from lessons.gradient_tricks.doctor.page import MOST_PARTS, PART_NODES
from lessons.gradient_tricks.doctor.report import fine
from tests.doctor import models
from tests.support.present import present


def images() -> torch.Tensor:
    return torch.randn(2, 3, 64, 64, generator=torch.Generator().manual_seed(0))


def test_a_residual_networks_norms_are_those_of_the_whole_gradient() -> None:
    torch.manual_seed(0)
    model = models.ResNet().eval()
    made = trace(model, images())
    assert made.faults == []
    assert f"{sum(one.numel() for one in model.parameters()):,} weights" in str(made)
    assert fine(made.run) in made.html
    assert len(present(made.drawn).spec["nodes"] + present(made.drawn).spec["edges"]) <= MOST_PARTS
    assert all(one.grad is None for one in model.parameters())
    assert not any(one._forward_hooks or one._forward_pre_hooks for one in model.modules())
    model(images()).backward()
    for name, one in model.named_parameters():
        norm = pytest.approx(float(present(one.grad).norm()), rel=1e-4)
        assert made.run.gradients[name].norm == norm, name


def test_what_lies_before_a_detach_is_named_once() -> None:
    model = nn.Sequential(*(nn.Linear(2, 2) for _ in range(9)))
    head = nn.Linear(2, 1)
    (fault,) = trace(lambda: head(model(torch.ones(1, 2)).detach()).sum()).faults
    assert fault.kind == "detached"
    assert "model.0.weight" in fault.says
    assert "more get no gradient" in fault.says


def deep(layers: int) -> Module:
    model = nn.Module()
    parts = (nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.GELU()) for _ in range(layers))
    model.transformer_encoder_layers = stack = nn.Sequential(*parts)
    model.forward = lambda x: stack(x).mean()
    return model


def test_the_largest_graph_that_is_drawn_makes_a_page_of_less_than_500_kilobytes() -> None:
    x = torch.randn(4, 16, 8)
    made = trace(deep(29), x)
    assert present(made.drawn).whole
    assert not present(trace(deep(30), x).drawn).whole
    assert len(made.html.encode()) < 500_000


def test_an_op_with_hundreds_of_operands_is_drawn_in_part_or_not_at_all() -> None:
    x = torch.rand(3, requires_grad=True)
    made = trace(lambda x: torch.stack([x * i for i in range(500)]).sum(), x)
    assert len(present(made.drawn).spec["nodes"]) == PART_NODES
    assert len(made.html.encode()) < 500_000
    assert trace(lambda x: torch.stack([x] * 500).sum(), x).drawn is None


@pytest.mark.long
def test_ten_thousand_ops_are_traced_and_written_in_time() -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    start = time.process_time()
    made = trace(models.loop, x)
    page = made.html
    assert time.process_time() - start < 30  # 3 seconds on an idle core
    assert len(made.recording.ops) == 10_001
    assert len(page) < 1_000_000
    assert len(present(made.drawn).spec["nodes"]) == PART_NODES
    assert len(present(made.drawn).spec["steps"]) > 10
