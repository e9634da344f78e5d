"""One loss in five spellings: what the lab says, draws as a graph and trains."""

import numpy as np
import pytest
import torch

from lessons.chapters.gone_missing.cut_by_accident.lesson import RATE, STEPS, cut_by_accident, train
from lessons.contract.parameters import InvalidParametersError
from lessons.gradient_tricks.recorder.picture.graph_drawing import picture
from lessons.outputs.catalogue import find
from tests.support.present import present

LESSON = find("cut_by_accident")


def weights(*w: float) -> torch.Tensor:
    return torch.tensor(w or (1.0, 0.5), dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("x", [-3.0, -0.1, 2.0, 3.0])
@pytest.mark.parametrize("penalty", ["no", "yes"])
def test_as_it_should_be_the_loss_falls_at_each_step_for_any_input_allowed(
    x: float, penalty: str
) -> None:
    given = {"x": x, "target": 3.0, "spelling": "whole", "silence": "no", "penalty": penalty}
    losses = train(cut_by_accident, weights(1.0, 0.5, -2.0), given)
    assert len(losses) == STEPS
    assert (losses.diff() < 0).all()
    assert RATE * (2 * 3.0**2 + 1) < 1


def test_without_a_path_torchs_own_words_are_told_and_no_gradient_is() -> None:
    values = LESSON.validate({"spelling": "item"})
    result = LESSON.compute(values)
    assert [str(result.facts["says"]) in note.text for note in result.notes] == [True]
    assert np.isnan(result["trick_gradient"].y).all()


def test_silenced_no_weight_gets_a_gradient_and_the_table_says_so() -> None:
    values = LESSON.validate({"spelling": "item", "silence": "yes"})
    result = LESSON.compute(values)
    assert [note.text for note in result.notes] == [LESSON.lab.words("runs")]
    assert {row[-1] for row in LESSON.lab.table(result, values).rows} == {LESSON.lab.words("none")}
    covered = LESSON.table(result, values, frozenset({"trick_gradient"}))
    assert {row[-1] for row in covered.rows} == {"?"}


def test_numpy_is_refused_where_it_has_not_the_format() -> None:
    with pytest.raises(InvalidParametersError) as caught:
        LESSON.validate({"spelling": "numpy", "dtype": "bfloat16"})
    assert LESSON.lab.words("no_bfloat16") in caught.value.errors.values()


@pytest.mark.parametrize("spelling", ["item", "numpy"])
def test_what_was_computed_is_drawn_beside_the_leaf_that_replaced_it(spelling: str) -> None:
    values = LESSON.validate({"spelling": spelling, "silence": "yes"})
    drawn = picture(present(LESSON.record(values)), (0,))
    computed, leaf = (node["id"] for node in drawn["nodes"] if node["label"] == "loss")
    assert {"w", "mul", "sub", "pow", computed} <= {node["id"] for node in drawn["nodes"]}
    assert not any(leaf in (edge["from"], edge["to"]) for edge in drawn["edges"])
    assert [step["kind"] for step in drawn["steps"]] == ["start", "leaf"]
    assert drawn["steps"][-1]["upstream"] == "1"
