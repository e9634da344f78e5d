"""Charts over many seeds: mean and band, and the sentence in their place before the first step."""

import numpy as np

from lessons.outputs.catalogue import find
from lessons.training.step_charts import over_seeds
from lessons.training.under_way import Run


def test_a_line_over_the_seeds_is_their_mean_between_low_and_high_seeds():
    seeds = [np.array([1.0, 2.0, 6.0, np.nan]), np.array([5.0, np.inf])]
    series = over_seeds(np.arange(2.0), seeds, "forward")
    assert series.y.tolist() == [3, 5]
    assert np.allclose(series.low, [1.1, 5])
    assert np.allclose(series.high, [5.6, 5])


def test_before_the_first_step_a_sentence_stands_in_place_of_the_lines():
    lesson = find("collapse")
    values = lesson.validate({"seeds": "1"})
    run = Run(lesson.lab, lesson.program, values)

    def drawn():
        loss = lesson.lab.training.figures(run.history, values)[0]
        return {trace["mode"] for trace in loss.data if trace.get("visible", True)}

    assert drawn() == {"text"}
    run.advance(0, values)
    assert "lines" in drawn()
