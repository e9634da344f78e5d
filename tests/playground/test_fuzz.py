"""20,000 random and hostile documents; fuzz.py says what must hold. In a process of its own, so
that a crash of the interpreter itself is seen too, and the audit hook does not stay with pytest.
"""

import json
import os
import subprocess
import sys

from tests.support.server import ROOT

PROGRAMS = 20_000


def test_twenty_thousand_documents_do_no_harm():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.playground.fuzz", "--programs", str(PROGRAMS)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.stdout, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["failures"] == []
    assert done.returncode == 0
    assert found["ran"] + found["refused"] == PROGRAMS
    # Neither half may quietly become a test of nothing.
    assert found["ran"] > PROGRAMS // 10
    assert found["refused"] > PROGRAMS // 4
