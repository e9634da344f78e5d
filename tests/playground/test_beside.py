"""A lesson's program in the playground's language: the lesson's own values and gradients."""

import pytest

from lessons.outputs import catalogue
from lessons.playground import beside, format_values, run

BESIDE = [one for one in catalogue.lessons() if beside(one.folder)]


@pytest.mark.parametrize("lesson", BESIDE, ids=lambda lesson: lesson.slug)
def test_it_is_the_lessons_program_at_its_first_settings(lesson):
    document = beside(lesson.folder)
    found = run(document, curves=False)
    given = {one.name for one in document.inputs} & set(lesson.defaults)
    over = found.over
    assert format_values(document.input(over).values).strip("[]") == lesson.defaults[over]
    # Noise, where there is some, is set to the document's own draw.
    noise = {
        name: format_values(tuple(found.values[name].flatten().tolist())).strip("[]")
        for name in given - {over}
        if document.input(name).noise
    }
    result = lesson.compute(lesson.validate(noise))
    for name, values in (
        ("forward", found.values[found.output]),
        ("trick_gradient", found.gradients["trick_gradient"][over]),
    ):
        assert result[name].y.tolist() == pytest.approx(values.tolist(), rel=1e-12, nan_ok=True)
    assert all("never runs" not in note.text for note in found.notes)


def test_most_lessons_have_one():
    assert len(BESIDE) >= 12
