"""lessons/graph knows torch, the standard library, the engine and how numbers are written."""

import sys
from pathlib import Path

import pytest

import lessons.graph
from tests.test_structure import imported, within

FILES = sorted(Path(lessons.graph.__file__).parent.glob("*.py"))
OURS = ("lessons.graph", "lessons.tricks", "lessons.text")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_imports(path):
    others = {"torch"} | ({"fast_sugiyama"} if path.stem == "layout" else set())
    for name in imported(path.read_text(encoding="utf-8"), f"lessons.graph.{path.stem}"):
        root = name.split(".")[0]
        known = root in others or root in sys.stdlib_module_names
        assert known or any(within(name, package) for package in OURS), name
