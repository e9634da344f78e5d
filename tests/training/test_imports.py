"""What a training may load: little, since every process that has it is larger from then on."""

import subprocess
import sys

import pytest

from tests.support.server import ROOT

pytestmark = pytest.mark.long

MOST_MODULES = 100
"""Modules loaded at once that are worth a look."""


def test_training_loads_nothing_more() -> None:
    """torch.optim would load torch's compiler: 800 modules, and a slower page from then on."""
    code = """
import sys
from lessons.outputs.catalogue import lessons
from lessons.training.under_way import Run
trained = [lesson for lesson in lessons() if lesson.lab.training]
before = set(sys.modules)
for lesson in trained:
    values = lesson.validate({})
    Run(lesson.lab, lesson.program, values).advance(60, values, most=2)
print(len(trained), "torch._dynamo" in sys.modules, len(set(sys.modules) - before))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    count, compiler, more = ran.stdout.split()
    assert int(count) >= 1
    assert compiler == "False"
    assert int(more) < MOST_MODULES
