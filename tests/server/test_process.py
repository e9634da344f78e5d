"""A process: its options; what of its memory is frozen, collected, and handed back."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from pages.server.__main__ import main
from tests.server.serving import resident
from tests.support.server import ROOT

HELD = """
import torch
from lessons.outputs.process import suit_small_tensors
from pages.server.process import clean
from tests.server.serving import resident
suit_small_tensors()
torch.zeros(10).sum()
before = resident()
many = [torch.ones(100_000) for _ in range(250)]  # 100 MB in pieces that malloc keeps
full = resident()
del many
clean()
print(full - before, resident() - before)
"""


@pytest.mark.long
@pytest.mark.skipif(not resident() or sys.platform != "linux", reason="reads the kernel's table")
def test_freed_memory_goes_back():
    done = subprocess.run(
        [sys.executable, "-c", HELD],
        cwd=ROOT, text=True, capture_output=True, check=True, timeout=600,
    )  # fmt: skip
    full, left = map(int, done.stdout.split())
    assert full > 90 << 20
    assert left < 20 << 20


def test_a_variable_that_does_not_fit_its_option_is_refused_in_one_line():
    done = CliRunner().invoke(main, env={"STREAMLIT_SERVER_ENABLE_CORS": "perhaps"})
    assert done.exit_code == 2
    last = done.output.splitlines()[-1]
    assert "STREAMLIT_SERVER_ENABLE_CORS" in last
    assert "'perhaps' is not a valid boolean" in last
