"""However many draws are asked for, memory stays near where it was."""

import subprocess
import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.long]

SCRIPT = """
import resource
from lessons.outputs.catalogue import find
from lessons.kit.process import suit_small_tensors

suit_small_tensors()
lesson = find("wrong_place")
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
lesson.compute(lesson.validate({}))
idle = peak()
xs = ", ".join(str(i - 30.5) for i in range(64))
lesson.compute(lesson.validate({"draws": "1000000", "x": xs}))
print(peak() - idle)
"""


def test_a_million_draws_at_64_inputs_stay_within_200_megabytes():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=300
    )
    grown = float(done.stdout)
    assert grown < (200 if sys.platform == "linux" else 200 * 1024)  # macOS counts in bytes
