"""The example in every docstring of the engine runs and prints what it says."""

import doctest
import importlib
import pkgutil

import pytest

import lessons.tricks

MODULES = [f"lessons.tricks.{m.name}" for m in pkgutil.iter_modules(lessons.tricks.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", lessons.tricks.__all__)
def test_public_names_have_an_example(name: str) -> None:
    doc = getattr(lessons.tricks, name).__doc__
    assert ">>> " in doc
