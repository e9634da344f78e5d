"""A tensor changed after ops have saved it: torch's refusal, and the gradient through .data."""

from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.gone_missing.in_place.lesson import in_place
from lessons.outputs.catalogue import find
from lessons.recorder.picture.graph_drawing import picture
from lessons.recorder.picture.sentences import WORDS
from tests.support import course

MESSAGE = "one of the variables needed for gradient computation has been modified by an inplace"


LESSON = find("in_place")
run = partial(course.run, "in_place")


def leaf(*x):
    return torch.tensor(x or (2.0,), dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("change", ["in_place", "detach"])
@pytest.mark.parametrize("reads", ["square", "triple"])
@pytest.mark.parametrize("added", [1.0, -2.0, 0.0])
def test_torch_refuses_what_its_counter_has_seen_were_it_a_change_by_0(change, reads, added):
    x = leaf()
    z = in_place(x, added, change, reads)
    with pytest.raises(RuntimeError, match=MESSAGE):
        z.sum().backward()
    result = run(change=change, reads=reads, added=str(added))
    assert np.isnan(result["trick_gradient"].y).all()
    assert result.notes[-1].text.startswith("RuntimeError: ")
    assert np.isfinite(result["true_gradient"].y).all()


def test_the_message_of_the_text_is_torchs_for_the_change_in_place():
    with pytest.raises(RuntimeError) as caught:
        in_place(leaf(), 1.0, "in_place", "square").sum().backward()
    said = run(change="data").facts["says"]
    assert str(caught.value).startswith(said)


def test_who_shares_the_counter():
    y = leaf().exp()
    y.data.add_(1)
    y.detach().numpy()[0] += 1
    assert y._version == 0
    y.detach().add_(1)
    with torch.no_grad():
        y.add_(1)
    assert y._version == 2


@pytest.mark.parametrize(("reads", "saved"), [("square", {"mul", "exp"}), ("triple", {"exp"})])
def test_the_graph_marks_each_op_that_saved_y_and_the_op_that_changed_it(reads, saved):
    values = LESSON.validate({"change": "data", "reads": reads})
    recording = LESSON.record(values)
    assert {node.name for node in recording if node.stale} == saved
    drawn = picture(recording, (0,))
    assert "add" in {node["id"] for node in drawn["nodes"]}
    said = " ".join(step["sentence"] for step in drawn["steps"])
    assert WORDS("reads_now", entry="y[0]", before="7.389", now="8.389") in said
    clean = LESSON.record(LESSON.validate({"reads": reads}))
    assert not any(node.stale for node in clean)


@pytest.mark.parametrize("saves_result", [True, False])
def test_which_ops_save_their_result_and_which_what_they_read(saves_result):
    result, read = (torch.exp, torch.tanh, torch.sigmoid, torch.relu), (torch.sin, torch.log)
    powers = (lambda x: x**3, torch.square)
    for op in result if saves_result else (*read, *powers):
        y = op(leaf(0.5, 2.0).clone())
        y.add_(1)
        if saves_result:
            with pytest.raises(RuntimeError, match=MESSAGE):
                y.sum().backward()
        else:
            y.sum().backward()
            x = leaf(0.5, 2.0).clone()
            y = op(x)
            x.add_(1)
            with pytest.raises(RuntimeError, match=MESSAGE):
                y.sum().backward()


def test_a_step_before_the_backward_pass_is_refused_under_no_grad_alone():
    w = leaf(3.0)
    loss = (w**3).sum()
    with torch.no_grad():
        w -= 1
    with pytest.raises(RuntimeError, match=MESSAGE):
        loss.backward()
    w = leaf(3.0)
    loss, optimizer = (w**3).sum(), torch.optim.SGD([w], lr=0.1)
    w.grad = torch.ones_like(w)
    optimizer.step()
    with pytest.raises(RuntimeError, match=MESSAGE):
        loss.backward()
