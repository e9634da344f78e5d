"""Runs exported files far from the project, by a Python that has seen nothing of it.

That Python has loaded torch once, which takes longer than most files, and forks for those who ask:
what one of them does there, no other sees.
"""

import json
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

TIMEOUT = 240  # seconds
NO_PATH = (
    "A file has .detach() where an edge of the graph is cut. Where no path is left it is to print "
    "a gradient of 0, as torch.autograd.grad((y + 0 * x).sum(), x) does."
)

DRIVER = """
import json, os, runpy, sys, traceback
import torch

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
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, folder: Path, commands: Sequence[Sequence[str]]) -> list[str]:
        """What each file prints, run as the main program in `folder`, one after the other.

        Args:
            commands: each a file and its arguments, as in `sys.argv`.
        """
        print(json.dumps([str(folder), commands]), file=self._process.stdin, flush=True)
        answered, _, _ = select.select([self._process.stdout], [], [], TIMEOUT)
        assert answered, f"still running after {TIMEOUT} s: {commands}"
        status = self._process.stdout.readline().strip()
        said = (folder / "stderr").read_text("utf-8")
        assert status == "0", said + (NO_PATH if "does not require grad" in said else "")
        return (folder / "stdout").read_text("utf-8").split("\0")[:-1]


@contextmanager
def python_alone(folder: Path) -> Iterator[Alone]:
    """A Python that starts in `folder` and knows of no other."""
    command = [sys.executable, "-I", "-c", DRIVER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder
    ) as process:
        try:
            yield Alone(process)
        finally:
            process.kill()
