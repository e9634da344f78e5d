"""The examples in the docstrings of what lessons share run and say what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

import lessons

ROOT = Path(lessons.__file__).parent
ELSEWHERE = {"graph", "playground", "tricks"}  # with tests of their own
MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    for path in [*ROOT.glob("*.py"), *ROOT.glob("*/*.py")]
    if path.parent.name not in ELSEWHERE and ">>> " in path.read_text("utf-8")
}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
