"""One loss in five spellings: what torch says, what reaches the weights, what the text claims."""

from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.gone_missing.cut_by_accident.lesson import (
    RATE,
    STEPS,
    cut_by_accident,
    train,
)
from lessons.contract.parameters import InvalidParametersError
from lessons.outputs.catalogue import find
from lessons.recorder.picture.graph_drawing import picture
from tests.lessons.titles import read_back
from tests.support import course

LOST = ("tensor", "item", "numpy", "detach")
EACH_LOST = pytest.mark.parametrize("spelling", LOST)
NO_GRAD_FN = "element 0 of tensors does not require grad and does not have a grad_fn"


LESSON = find("cut_by_accident")
run = partial(course.run, "cut_by_accident")


def weights(*w):
    return torch.tensor(w or (1.0, 0.5), dtype=torch.float64, requires_grad=True)


def loss_of(w, spelling="whole", silence="no", penalty="no"):
    return cut_by_accident(w, 2.0, 3.0, spelling, silence, penalty)


@EACH_LOST
def test_without_a_path_torch_refuses_in_the_words_of_the_text(spelling):
    with pytest.raises(RuntimeError) as caught:
        loss_of(weights(), spelling).backward()
    result = run(spelling=spelling)
    assert str(caught.value) == NO_GRAD_FN == result.facts["says"]
    assert [NO_GRAD_FN in note.text for note in result.notes] == [True]
    assert np.isnan(result["trick_gradient"].y).all()


@EACH_LOST
def test_silenced_the_loss_keeps_its_gradient_and_no_weight_gets_one(spelling):
    w = weights()
    loss = loss_of(w, spelling, silence="yes")
    assert loss.is_leaf
    loss.backward()
    assert loss.grad == 1 == run().facts["leaf_gradient"]
    assert w.grad is None
    result = run(spelling=spelling, silence="yes")
    assert not result["trick_gradient"].y.any()
    assert result["true_gradient"].y.all()
    values = LESSON.validate({"spelling": spelling, "silence": "yes"})
    gradient, _ = LESSON.lab.figures(result, values)
    assert read_back(LESSON.lab.words, "nothing_arrives", gradient.title)
    assert {row[-1] for row in LESSON.lab.table(result, values).rows} == {LESSON.lab.words("none")}
    covered = LESSON.table(result, values, frozenset({"trick_gradient"}))
    assert {row[-1] for row in covered.rows} == {"?"}
    assert [note.text for note in result.notes] == [LESSON.lab.words("runs")]


@EACH_LOST
@pytest.mark.parametrize("silence", ["no", "yes"])
def test_a_penalty_keeps_the_error_away_and_its_part_alone_arrives(spelling, silence):
    w = weights(1.0, 0.5, -2.0)
    loss_of(w, spelling, silence, "yes").backward()
    assert torch.equal(w.grad, w.detach())
    result = run(spelling=spelling, silence=silence, penalty="yes")
    assert [note.text for note in result.notes] == [LESSON.lab.words("runs")]
    assert result["trick_gradient"].y.tolist() == [1.0, 0.5]
    # At the step's settings the loss rises: each step takes the weights towards 0.
    losses = next(one for one in result.curves if one.role == "trick_gradient").y
    assert (np.diff(losses) > 0).all()


@EACH_LOST
def test_no_step_of_training_moves_a_weight_whatever_the_optimizer(spelling):
    given = {"x": 2.0, "target": 3.0, "spelling": spelling, "silence": "yes", "penalty": "no"}
    assert len(train(cut_by_accident, weights(), given).unique()) == 1
    for optimizer in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW):
        w = weights()
        step = optimizer([w], lr=0.1, weight_decay=0.5)
        loss_of(w, spelling, silence="yes").backward()
        step.step()
        assert w.tolist() == [1.0, 0.5], optimizer


@pytest.mark.parametrize("x", [-3.0, -0.1, 2.0, 3.0])
@pytest.mark.parametrize("penalty", ["no", "yes"])
def test_as_it_should_be_the_loss_falls_at_each_step_for_any_input_allowed(x, penalty):
    given = {"x": x, "target": 3.0, "spelling": "whole", "silence": "no", "penalty": penalty}
    losses = train(cut_by_accident, weights(1.0, 0.5, -2.0), given)
    assert len(losses) == STEPS
    assert (losses.diff() < 0).all()
    assert RATE * (2 * 3.0**2 + 1) < 1


def test_only_on_a_leaf_does_torch_take_the_flag():
    loss = loss_of(weights())
    with pytest.raises(RuntimeError) as caught:
        loss.requires_grad = True
    assert str(run().facts["flag_says"]) in str(caught.value)
    for spelling in LOST:
        lost = loss_of(weights(), spelling)
        lost.requires_grad = True
        assert lost.grad_fn is None


@EACH_LOST
def test_the_graph_ends_before_the_weights(spelling):
    values = LESSON.validate({"spelling": spelling, "silence": "yes"})
    recording = LESSON.record(values)
    assert not any(edge.gradient for edge in recording.edges)
    whole = LESSON.record(LESSON.validate({}))
    assert all(edge.gradient for edge in whole.edges)
    with_penalty = LESSON.record(LESSON.validate({"spelling": spelling, "penalty": "yes"}))
    (edge,) = (e for e in with_penalty.edges if e.producer.name == "w" and e.gradient)
    assert edge.consumer.name == "pow_1"


def test_numpy_is_refused_where_it_has_not_the_format():
    with pytest.raises(InvalidParametersError) as caught:
        LESSON.validate({"spelling": "numpy", "dtype": "bfloat16"})
    assert LESSON.lab.words("no_bfloat16") in caught.value.errors.values()


@pytest.mark.parametrize("spelling", ["item", "numpy"])
def test_what_was_computed_is_drawn_beside_the_leaf_that_replaced_it(spelling):
    values = LESSON.validate({"spelling": spelling, "silence": "yes"})
    drawn = picture(LESSON.record(values), (0,))
    computed, leaf = (node["id"] for node in drawn["nodes"] if node["label"] == "loss")
    assert {"w", "mul", "sub", "pow", computed} <= {node["id"] for node in drawn["nodes"]}
    assert not any(leaf in (edge["from"], edge["to"]) for edge in drawn["edges"])
    assert [step["kind"] for step in drawn["steps"]] == ["start", "leaf"]
    assert drawn["steps"][-1]["upstream"] == "1"


def test_three_other_mistakes_raise_no_error_either():
    leaf = torch.ones(4, requires_grad=True)
    moved = leaf.to(torch.float64)  # as .cuda() does, it returns another tensor
    moved.sum().backward()
    assert leaf.grad is not None
    with pytest.warns(UserWarning, match="not a leaf"):
        assert moved.grad is None

    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), 1.0)
    model = torch.nn.Linear(1, 1)
    before = model.weight.clone()
    model(torch.ones(2, 1)).sum().backward()
    optimizer.step()
    assert torch.equal(model.weight, before)

    targets = torch.arange(8.0)
    predictions = torch.zeros(8, 1, requires_grad=True)
    ((predictions - targets) ** 2).mean().backward()
    assert torch.allclose(predictions.grad, 2 * (predictions - targets.mean()).detach() / 8)
