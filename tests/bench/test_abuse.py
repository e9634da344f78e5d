"""A row of the abuse table passes only if the abuser ran until the row's end."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.bench import abuse
from tests.bench.learner import Heard
from tests.server.asgi import run
from tests.support.server import ROOT, free_port


class Quiet:
    """A learner who does nothing."""

    def __init__(self, url, lesson, heard):
        pass

    async def open_page(self):
        pass

    open_lab = close = open_page


@pytest.mark.parametrize(
    ("does", "ended"),
    [("raise SystemExit(3)", "exit code 3"), ("input()", "")],
    ids=["dies", "stays"],
)
def test_an_abuser_that_ends_before_its_row_fails_it(does, ended, monkeypatch):
    popen, begun = subprocess.Popen, []

    def start(command, env):
        begun.append(popen([sys.executable, "-c", does], stdin=subprocess.PIPE))
        return begun[0]

    async def nothing(*words):
        if begun and ended:
            begun[0].wait(30)

    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(abuse, "Learner", Quiet)
    monkeypatch.setattr(abuse, "memory", lambda server: 1.0)
    for name in ("warm", "polite"):
        monkeypatch.setattr(abuse, name, nothing)
    for name in ("IMPORTS", "LEFT"):
        monkeypatch.setattr(abuse, name, 0)
    row = abuse.Row("slider flood, one socket", Heard([100.0]), Heard([100.0]))
    run(abuse.attacked(SimpleNamespace(url=""), row))
    begun[0].stdin.close()
    assert row.ended == ended
    said = abuse.report([row])[-1]
    assert said.startswith("- MISS: " if ended else "- PASS: ")
    assert ended in said


@pytest.mark.long
def test_an_attack_that_is_over_says_why():
    command = ["tests.bench.attacks", "slider flood, one socket", f"http://127.0.0.1:{free_port()}"]
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, text=True, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("the attack is over: ConnectionRefusedError")
