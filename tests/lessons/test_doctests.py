"""The examples in the docstrings under lessons/ run and say what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

import lessons

ROOT = Path(lessons.__file__).parent
MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if ">>> " in path.read_text("utf-8")
}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_examples(name):
    ran = doctest.testmod(importlib.import_module(name))
    assert ran.attempted
    assert not ran.failed
