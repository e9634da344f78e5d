"""A tensor changed after ops have saved it: torch's refusal, and the gradient through .data."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from lessons.chapters.gone_missing.in_place.lesson import in_place
from lessons.outputs.catalogue import find
from lessons.recorder.picture.graph_drawing import picture
from tests.support import course

REFUSED = pytest.mark.parametrize("change", ["in_place", "detach"])
READS = pytest.mark.parametrize("reads", ["square", "triple"])
MESSAGE = "one of the variables needed for gradient computation has been modified by an inplace"


LESSON = find("in_place")
run = partial(course.run, "in_place")


def leaf(*x):
    return torch.tensor(x or (2.0,), dtype=torch.float64, requires_grad=True)


@REFUSED
@READS
@pytest.mark.parametrize("added", [1.0, -2.0, 0.0])
def test_torch_refuses_what_its_counter_has_seen_were_it_a_change_by_0(change, reads, added):
    x = leaf()
    z = in_place(x, added, change, reads)
    with pytest.raises(RuntimeError, match=MESSAGE):
        z.sum().backward()
    result = run(change=change, reads=reads, added=str(added))
    assert np.isnan(result["trick_gradient"].y).all()
    end = "… modified by an inplace operation: … is at version 1; expected version 0 instead"
    assert result.notes[-1].text == f"RuntimeError: {end}"
    assert np.isfinite(result["true_gradient"].y).all()
    values = LESSON.validate({"change": change, "reads": reads})
    last = picture(LESSON.record(values), (0,))["steps"][-1]
    assert last["sentence"].startswith("Torch refuses this backward pass")


def test_the_message_of_the_text_is_torchs_for_the_change_in_place():
    with pytest.raises(RuntimeError) as caught:
        in_place(leaf(), 1.0, "in_place", "square").sum().backward()
    said = run(change="data").facts["says"]
    assert str(caught.value).startswith(said)
    assert "is at version 1; expected version 0 instead" in said
    assert "is at version 1; expected version 0 instead" in LESSON.prose.front["asked"]


@pytest.mark.parametrize("x", [-3.0, 0.0, 2.0])
@pytest.mark.parametrize("added", [-4.0, 1.0, 1000.0])
def test_through_data_the_backward_pass_multiplies_the_new_numbers(x, added):
    new = math.exp(x) + added
    square = run(change="data", x=str(x), added=str(added))
    assert square["trick_gradient"].y[0] == pytest.approx(2 * new * new)
    assert square["true_gradient"].y[0] == pytest.approx(2 * math.exp(2 * x))
    assert square["forward"].y[0] == pytest.approx(math.exp(2 * x))
    triple = run(change="data", reads="triple", x=str(x), added=str(added))
    assert triple["trick_gradient"].y[0] == pytest.approx(3 * new)
    assert [note.text for note in square.notes] == ["backward() raises no error."]


def test_the_numbers_of_the_text():
    facts = run(change="data").facts
    assert facts["square_came"] == pytest.approx(140.75, abs=0.01)
    assert facts["unharmed"] == pytest.approx(109.2, abs=0.01)

    def new_square(x):
        return (math.exp(x) + 1) ** 2

    slope = (new_square(2 + 1e-6) - new_square(2 - 1e-6)) / 2e-6
    assert facts["slope_of_new"] == pytest.approx(slope, rel=1e-6)
    assert facts["to_y"] == pytest.approx(2 * facts["new"])


def test_who_shares_the_counter():
    facts = run().facts
    assert (facts["version_before"], facts["version_after"]) == (0, 1)
    y = leaf().exp()
    y.data.add_(1)
    y.detach().numpy()[0] += 1
    assert y._version == 0
    y.detach().add_(1)
    with torch.no_grad():
        y.add_(1)
    assert y._version == 2


@READS
def test_the_graph_marks_each_op_that_saved_y_and_the_op_that_changed_it(reads):
    values = LESSON.validate({"change": "data", "reads": reads})
    recording = LESSON.record(values)
    stale = {node.name for node in recording if node.stale}
    assert stale == ({"mul", "exp"} if reads == "square" else {"exp"})
    drawn = picture(recording, (0,))
    assert "add" in {node["id"] for node in drawn["nodes"]}
    said = " ".join(step["sentence"] for step in drawn["steps"])
    assert "y[0] was 7.389, the backward pass reads 8.389" in said
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
    facts = run().facts
    assert facts["early_came"] == 3 * (4 - 1) ** 2 == facts["early_new"]
    told = [facts[f"early_{name}"] for name in ("value", "old", "new", "mixed", "nothing")]
    assert len(set(told)) == len(told)  # no answer is right by a number of another sort
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


def test_what_is_too_large_is_said():
    assert "∞" in run(x="1000").notes[0].text
    notes = run(x="1000", change="in_place").notes
    assert len(notes) == 2
    assert "modified by an inplace operation" in notes[1].text
