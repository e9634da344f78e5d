"""Runs exported files far from the project, by a Python that has seen nothing of it.

That Python has loaded torch once, which takes longer than most files, and forks for those who ask:
what one of them does there, no other sees. For files that make torch load its compiler, as its
optimizers do, there is a second one that has loaded this too: else each such file takes 1.5 s more.
"""

import json
import re
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support.present import present

TIMEOUT = 240  # seconds
NO_PATH = (
    "A file has .detach() where an edge of the graph is cut. Where no path is left it is to print "
    "a gradient of 0, as torch.autograd.grad((y + 0 * x).sum(), x) does."
)

LOADS_COMPILER = re.compile(r"\btorch\.optim\.|\bcheckpoint\(")
"""What does so when it is first called."""

DRIVER = """
import importlib, json, os, runpy, sys, traceback
importlib.import_module(sys.argv[1])

def run(folder, commands):
    os.chdir(folder)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    try:
        for sys.argv in commands:
            runpy.run_path(sys.argv[0], run_name="__main__")
            print(end="\\0")
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
        return 1
    return 0

for line in sys.stdin:
    child = os.fork()
    if not child:
        os._exit(run(*json.loads(line)))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Alone:
    def __init__(self, folder: Path, until_left: ExitStack) -> None:
        self._folder = folder
        self._until_left = until_left
        self._started: dict[str, subprocess.Popen[str]] = {}

    def run(self, folder: Path, commands: Sequence[Sequence[str]]) -> list[str]:
        """What each file prints, run as the main program in `folder`, one after the other.

        Args:
            commands: each a file and its arguments, as in `sys.argv`.
        """
        texts = ((folder / file).read_text("utf-8") for file, *_ in commands)
        python = self._python(
            "torch._dynamo" if any(map(LOADS_COMPILER.search, texts)) else "torch"
        )
        print(json.dumps([str(folder), commands]), file=python.stdin, flush=True)
        out = present(python.stdout)
        answered, _, _ = select.select([out], [], [], TIMEOUT)
        assert answered, f"still running after {TIMEOUT} s: {commands}"
        status = out.readline().strip()
        said = (folder / "stderr").read_text("utf-8")
        assert status == "0", said + (NO_PATH if "does not require grad" in said else "")
        return (folder / "stdout").read_text("utf-8").split("\0")[:-1]

    def _python(self, loaded: str) -> subprocess.Popen[str]:
        """The one that has loaded this module."""
        if loaded not in self._started:
            python = subprocess.Popen(
                [sys.executable, "-I", "-c", DRIVER, loaded],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=self._folder,
            )
            self._until_left.enter_context(python)
            self._until_left.callback(python.kill)
            self._started[loaded] = python
        return self._started[loaded]


@contextmanager
def python_alone(folder: Path) -> Iterator[Alone]:
    """A Python that starts in `folder` and knows of no other."""
    with ExitStack() as until_left:
        yield Alone(folder, until_left)
