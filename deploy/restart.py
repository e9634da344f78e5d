"""Restart the processes of a running `make serve`, one after the other: ``make serve-restart``."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from deploy.listener import wait


def main() -> None:
    """Restart the site on the port that the command line names."""
    port = sys.argv[1]
    places = Path(tempfile.gettempdir()).glob(f"gradient-tricks-{port}-*/control")
    # supervisorctl runs code that a configuration names, so another user's is left alone.
    own = next((one.parent for one in places if one.stat().st_uid == os.getuid()), None)
    if own is None:
        raise SystemExit(f"You have no `make serve` on port {port}: make serve-restart PORT=8502")
    control = [sys.executable, "-m", "supervisor.supervisorctl", "-c", f"{own}/supervisord.conf"]
    status = subprocess.run([*control, "status"], capture_output=True, text=True).stdout
    for name in [line.split()[0] for line in status.splitlines() if line.startswith("app:")]:
        subprocess.run([*control, "restart", name], check=True)
        wait(f"http://127.0.0.1:{name.rpartition('-')[2]}/readyz")


if __name__ == "__main__":
    main()
