"""The process is set up once; what is loaded later is left out of garbage collection as well."""

import gc
import subprocess
import sys
import types

from pages.ui import runtime
from tests.support.server import ROOT

MODULES = [f"tests.made_up_{number}" for number in range(runtime.MANY)]


def test_what_is_loaded_in_bulk_later_is_frozen_too(monkeypatch):
    monkeypatch.setattr(runtime, "_loaded", len(sys.modules))
    frozen = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(len(sys.modules)))
    runtime.prepare()
    assert frozen == []
    for name in MODULES:
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    runtime.prepare()
    runtime.prepare()
    assert len(frozen) == 1


def test_training_loads_nothing_more():
    """torch.optim would load torch's compiler: 800 modules, and a slower page from then on."""
    code = """
import sys, lessons
from lessons.training.run import Run
trained = [lesson for lesson in lessons.lessons() if lesson.lab.training]
before = set(sys.modules)
for lesson in trained:
    values = lesson.validate({})
    Run(lesson.lab.training, lesson.program, values).advance(60, values, most=2)
print(len(trained), "torch._dynamo" in sys.modules, len(set(sys.modules) - before))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    count, compiler, more = ran.stdout.split()
    assert int(count) >= 1
    assert compiler == "False"
    assert int(more) < runtime.MANY
