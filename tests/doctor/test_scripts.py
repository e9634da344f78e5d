"""Training scripts as they stand, each in a process of its own, and what is said of each."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
HEAD = """\
import sys
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
x, y = torch.randn(6, 4), torch.tensor([0, 1, 0, 1, 0, 1])
"""
"""The first seven lines of each script."""


Watched = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    def run(script: str, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        (tmp_path / "train.py").write_text(HEAD + script)
        done = subprocess.run(
            [sys.executable, "-m", "lessons", "trace", "train.py", *words],
            capture_output=True, text=True, timeout=120, cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        assert (tmp_path / "train.html").exists()
        return done

    return run


def test_a_script_is_stopped_after_its_second_step_and_cleans_up_nothing(
    watched: Watched, tmp_path: Path
) -> None:
    done = watched(
        """\
try:
    for step in range(1000):
        print("step", step, sys.argv[1:])
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
finally:
    torch.save(net.state_dict(), "net.pt")
""",
        "--steps", "2", "--", "--rate", "3",
    )  # fmt: skip
    assert done.stdout.startswith("step 0 ['--rate', '3']\nstep 1 ['--rate', '3']\ntrain.py\n")
    assert "step 2" not in done.stdout
    assert "No fault was found" in done.stdout
    assert "over 2 steps of opt (Adam)" in done.stdout
    assert not (tmp_path / "net.pt").exists()


@pytest.mark.long
def test_a_script_that_raises_says_so_as_alone_and_gets_its_page(
    watched: Watched, tmp_path: Path
) -> None:
    script = "net[2] = nn.Linear(8, 2)\nnet.requires_grad_(False)\nnet(x).sum().backward()\n"
    done = watched(script, status=1)
    assert "1 fault:\n1. All 4 parameters of net have requires_grad=False, set in train.py:9" in (
        done.stdout
    )
    alone = subprocess.run(
        [sys.executable, "train.py"], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    last = alone.stderr.strip().splitlines()
    assert done.stderr.strip().splitlines()[-1] == last[-1]
    assert 'train.py", line 10, in <module>' in done.stderr
    assert "lessons" not in done.stderr


@pytest.mark.long
def test_lazy_objects_threads_and_other_folders_are_left_alone(watched: Watched) -> None:
    done = watched(
        """\
class Lazy:
    def __getattribute__(self, name):
        raise RuntimeError("no request")
lazy, held = Lazy(), {torch.ones(1): 1, "lazy": Lazy()}
import os, threading
os.mkdir("run")
os.chdir("run")
thread = threading.Thread(target=lambda: (net(x).sum().backward(), opt.step()))
thread.start()
thread.join()
assert os.path.isabs(__file__)
for _ in range(2):
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
"""
    )
    assert "No fault was found" in done.stdout
    assert "What runs in a thread of its own in train.py:15 is opaque" in done.stdout


@pytest.mark.long
def test_a_script_that_trains_in_a_thread_is_stopped_and_told_that_it_is_not_seen(
    watched: Watched,
) -> None:
    done = watched(
        """\
import threading
def train():
    for step in range(1000):
        print("step", step)
        net(x).sum().backward()
        opt.step()
thread = threading.Thread(target=train)
thread.start()
thread.join()
""",
        status=2,
    )
    assert "step 100" not in done.stdout
    assert (
        "Nothing was looked at: no gradient of train.py was seen. What runs in a thread of its"
        in done.stdout
    )


@pytest.mark.long
def test_the_last_words_of_a_script_that_ends_itself_are_told(watched: Watched) -> None:
    done = watched("sys.exit('no data')\n", status=2)
    assert done.stderr.splitlines() == ["no data", "train.py ended with exit status 1."]
