"""A row of the abuse table passes only if the abuser ran until the row's end."""

import sys
import time

import pytest

from tests.bench.abuse import Row, abuser, report
from tests.bench.learner import Heard


@pytest.mark.parametrize(("does", "word"), [("exit(3)", "MISS"), ("time.sleep(60)", "PASS")])
def test_an_abuser_that_ends_before_its_row_fails_it(does: str, word: str) -> None:
    row = Row("any", Heard([100.0]), Heard([100.0]), idle=1.0, after=1.0)
    with abuser(row.beside, [sys.executable, "-c", f"import time; {does}"]):
        time.sleep(1)
    said = report([row])[-1]
    assert said.startswith(f"- {word}: ")
    assert ("exit code 3" in said) == (word == "MISS")
