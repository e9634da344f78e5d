"""The examples in the docstrings of lessons/graph run and say what they say."""

import doctest
import importlib
import pkgutil

import pytest

import lessons.graph

MODULES = [
    f"lessons.graph.{module.name}" for module in pkgutil.iter_modules(lessons.graph.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
