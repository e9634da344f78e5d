"""The presets: each runs, and has a title and a sentence."""

import pytest

from lessons.playground.document.presets import preset, presets
from lessons.playground.running.outcome import run
from tests.playground.said import said


def test_every_preset_has_a_title_a_sentence_and_runs():
    names = [one.name for one in presets()]
    assert len(names) == len(set(names)) > 40
    for one in presets():
        document = one.document
        assert document.title
        assert document.about.endswith(".")
        found = run(document)
        assert found.curves
        assert not [note for note in found.notes if "NaN" in note.text]


def test_a_name_that_is_no_preset_is_refused_with_the_nearest():
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        preset("fliptwice")
    assert said("no_preset did_you_mean", "flip_twice") == caught.value.message
