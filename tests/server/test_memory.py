"""Memory: what is frozen, what is collected, and what goes back to the system."""

import asyncio
import ctypes
import subprocess
import sys

import pytest

from pages.server import memory
from tests.server.asgi import run
from tests.server.serving import resident
from tests.support.server import ROOT


def test_what_is_loaded_is_frozen_and_no_lesson_is_loaded_later():
    told = (
        "import gc, sys; from pages.server.prepare import prepare; prepare();"
        "before = {*sys.modules}; from lessons.outputs import catalogue; catalogue.lessons();"
        "print(gc.get_freeze_count() > 100_000, {*sys.modules} - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "set()"]


def test_it_cleans_up_now_and_then(monkeypatch):
    cleaned = []
    monkeypatch.setattr(memory, "EVERY", 0.01)
    monkeypatch.setattr(memory, "clean", lambda: cleaned.append(1))

    async def story():
        living = asyncio.create_task(memory.clean_now_and_then())
        await asyncio.sleep(0.2)
        living.cancel()

    run(story())
    assert len(cleaned) > 1


HELD = """
import torch
from lessons.kit.process import suit_small_tensors
from pages.server.memory import clean
from tests.server.serving import resident
suit_small_tensors()
torch.zeros(10).sum()
before = resident()
many = [torch.ones(100_000) for _ in range(250)]  # 100 MB in pieces that malloc keeps
full = resident()
del many
clean()
print(full - before, resident() - before)
"""


@pytest.mark.long
@pytest.mark.skipif(not resident() or sys.platform != "linux", reason="reads the kernel's table")
def test_freed_memory_goes_back():
    done = subprocess.run(
        [sys.executable, "-c", HELD],
        cwd=ROOT, text=True, capture_output=True, check=True, timeout=600,
    )  # fmt: skip
    full, left = map(int, done.stdout.split())
    assert full > 90 << 20
    assert left < 20 << 20


def test_without_glibc_nothing_happens(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    memory.clean()
