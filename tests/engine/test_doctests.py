"""Every public name of the engine has an example; tests/lessons/test_doctests.py runs it."""

import pytest

import lessons.gradient_tricks.tricks


@pytest.mark.parametrize("name", lessons.gradient_tricks.tricks.__all__)
def test_public_names_have_an_example(name: str) -> None:
    doc = getattr(lessons.gradient_tricks.tricks, name).__doc__
    assert ">>> " in doc
