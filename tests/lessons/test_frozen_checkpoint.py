"""The checkpoint under a frozen embedding, against torch itself and against closed forms."""

import math
import warnings
from functools import partial

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from lessons.chapters.gone_missing.frozen_checkpoint.lesson import (
    error_of_torch,
    warning_of_torch,
    weight_as_argument,
)
from lessons.chapters.gone_missing.frozen_checkpoint.network import FROZEN, HEAD
from tests.support import course

EACH_WAY = pytest.mark.parametrize("way", ["off", "reentrant", "other"])
EACH_EMBEDDING = pytest.mark.parametrize("lookup", ["frozen", "woken", "trained"])


run = partial(course.run, "frozen_checkpoint")


def by_hand(x):
    """The loss and its derivatives by the embedding, both adapters and the head."""
    first, second = FROZEN
    one = math.tanh(first * x)
    two = math.tanh(second * one)
    out = 2 * (HEAD * two - 1)
    into_two = out * HEAD * (1 - two**2)
    into_one = into_two * second * (1 - one**2)
    slopes = [into_one * first, into_one * x, into_two * one, out * two]
    return (HEAD * two - 1) ** 2, slopes


@EACH_WAY
@EACH_EMBEDDING
@pytest.mark.parametrize("since", ["1", "2"])
@pytest.mark.parametrize("x", ["1.5", "-0.7", "0"])
def test_who_gets_a_gradient_and_which(way, lookup, since, x):
    result = run(way=way, lookup=lookup, since=since, value=x)
    loss, slopes = by_hand(float(x))
    if lookup != "trained":
        slopes[0] = 0.0
    assert result["true_gradient"].y == pytest.approx(slopes)
    assert result["forward"].y == pytest.approx([loss]), "a checkpoint keeps the value"
    dead = way == "reentrant" and lookup == "frozen" and since == "1"
    assert result["trick_gradient"].y == pytest.approx([0, 0, 0, slopes[3]] if dead else slopes)
    assert result.facts["with_gradient"] == (1 if dead else result.facts["trained"])
    arrived = [bool(int(one)) for one in result.facts["arrived_own"].split()]
    assert arrived == [lookup == "trained", not dead, not dead, True]


def test_a_reentrant_checkpoint_is_one_op_and_its_adapter_is_not_in_the_graph():
    def graph(**given):
        return run(**given).facts["graph_names"].split("|")

    assert graph() == ["Pow", "Sub", "Mul", "head"]
    woken = graph(lookup="woken")
    assert woken.count("CheckpointFunction") == 2
    assert woken[-1] == "x"
    assert not {"adapter 1", "adapter 2"} & set(woken)
    assert graph(way="other") == graph(way="off")
    behind_layer_one = graph(since="2")
    assert behind_layer_one.count("CheckpointFunction") == 1
    assert "adapter 1" in behind_layer_one
    assert "adapter 2" not in behind_layer_one


def test_a_layer_runs_again_only_where_its_checkpoint_is_recorded():
    def again(**given):
        facts = run(**given).facts
        assert facts["runs_forward"] == 2
        return facts["runs_backward"]

    assert again(way="off") == again() == 0
    assert again(lookup="woken") == again(way="other") == 2
    assert again(since="2") == 1


def test_the_head_alone_brings_the_loss_down_and_more_slowly():
    result = run()
    own, plain = (
        next(one.y for one in result.curves if one.name == role)
        for role in ("trick_gradient", "true_gradient")
    )
    assert own[0] == plain[0] > own[-1] > plain[-1]
    frozen = run(way="other").curves
    assert frozen[0].y == pytest.approx(plain), "with a gradient it trains as without checkpoint"


def test_the_warning_and_the_error_are_those_of_a_real_run():
    weight = torch.ones((), requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = checkpoint(lambda x: weight * x, torch.ones(()), use_reentrant=True)
    assert [str(one.message) for one in caught] == [warning_of_torch()]
    with pytest.raises(RuntimeError) as raised:
        y.backward()
    assert str(raised.value).startswith(error_of_torch())
    y = checkpoint(lambda x: weight * x, torch.ones(()), use_reentrant=False)
    y.backward()
    assert weight.grad == 1


def test_the_lab_changes_no_warning_filter():
    before = list(warnings.filters)
    run()
    warning_of_torch.__wrapped__()
    assert list(warnings.filters) == before


def test_a_weight_as_an_argument_lets_the_one_inside_learn_too():
    found = weight_as_argument()
    assert found == {"argument_given": 2.0, "argument_inside": 2.0}
    x, inside = torch.tensor(2.0), torch.tensor(0.5, requires_grad=True)
    assert not checkpoint(lambda x: inside * x, x, use_reentrant=True).requires_grad
