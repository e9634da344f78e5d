"""The doctor's report on ``train.py``: a file that the server makes when it is first asked for."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from lessons import doctor
from pages.server.files import TYPES, File, served

TRAIN = Path(__file__).with_name("train.py")
SCRIPT = Path(doctor.__file__).with_name("page.js").read_text("utf-8").strip()
"""The script in every report; the server's policy has to allow it."""


@cache
def _report() -> bytes:
    """Run the doctor as a user does; its exit status says that it found a fault.

    It gets a process of its own: torch's optimizers load its compiler, 75 MB that a server never
    needs.
    """
    with TemporaryDirectory() as folder:
        shutil.copy(TRAIN, folder)
        command = [sys.executable, "-m", "lessons", "trace", "train.py", "--out", "out.html"]
        environment = os.environ | {"PYTHONPATH": str(TRAIN.parents[3])}
        subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=False)
        return Path(folder, "out.html").read_bytes()


REPORT = "files/report.html"
"""Its address."""
served[REPORT] = File(_report, TYPES[".html"], "no-cache")
