"""Seeds faults in a room and shows those that its tests do not notice: `make mutants`.

cosmic-ray lists all faults that it can seed, and we draw some of them with a fixed seed: the same
ones until the room's code changes. It all happens in a copy of HEAD, so commit first.
"""

import random
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SECONDS = 300.0
"""A fault counts as noticed if the tests take longer with it."""
BIN = Path(sys.executable).parent


def draw(session: Path, count: int) -> None:
    """Keep only so many of a session's faults."""
    with sqlite3.connect(session) as database:
        places = "SELECT * FROM mutation_specs ORDER BY module_path, start_pos_row, start_pos_col"
        jobs = [row[-1] for row in database.execute(f"{places}, operator_name, occurrence")]
        for job in random.Random(0).sample(jobs, max(0, len(jobs) - count)):
            for table in ("mutation_specs", "work_items"):
                database.execute(f"DELETE FROM {table} WHERE job_id = ?", (job,))


def main(room: str, tests: str, count: str) -> None:
    """Print each fault that no test noticed, and how many there are."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        head = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
        subprocess.run(["tar", "x"], cwd=folder, input=head.stdout, check=True)
        python = ROOT / ".venv" / "bin" / "python"
        command = f"{python} -m pytest -x -q -n 0 -p no:cacheprovider -m 'not slow' {tests}"
        (folder / "mutants.toml").write_text(
            f'[cosmic-ray]\nmodule-path = "{room}"\ntimeout = {SECONDS}\nexcluded-modules = []\n'
            f'test-command = "{command}"\n[cosmic-ray.distributor]\nname = "local"\n'
        )
        session = folder / "mutants.sqlite"
        for words in (["baseline", "mutants.toml"], ["init", "mutants.toml", str(session)]):
            subprocess.run([BIN / "cosmic-ray", *words], cwd=folder, check=True)
        draw(session, int(count))
        subprocess.run(
            [BIN / "cosmic-ray", "exec", "mutants.toml", session], cwd=folder, check=True
        )
        subprocess.run([BIN / "cr-report", "--surviving-only", "--show-diff", session], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
