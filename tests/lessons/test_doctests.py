"""The examples in the docstrings under lessons/ run; every public name of the engine has one."""

import doctest
import importlib
from pathlib import Path

import pytest

import lessons
from lessons.gradient_tricks import tricks

ROOT = Path(lessons.__file__).parent
MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if ">>> " in path.read_text("utf-8")
}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_examples(name: str) -> None:
    ran = doctest.testmod(importlib.import_module(name))
    assert ran.attempted
    assert not ran.failed


def test_every_public_name_has_an_example() -> None:
    assert all(">>> " in getattr(tricks, name).__doc__ for name in tricks.__all__)
