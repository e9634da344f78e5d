"""Some hostile messages; fuzz.py says what must hold. ``make fuzz`` sends many more."""

import random

import pytest

from pages.labs import answer
from tests.server import fuzz
from tests.support.amount import cases
from tests.support.fuzzing import found

pytestmark = pytest.mark.slow


@pytest.mark.random
def test_hostile_messages_are_answered():
    came = found("tests.server.fuzz", cases(32, 600))
    # None of these may quietly become a test of nothing.
    assert came["message"] > cases(20, 1000)
    assert all(came[kind] for kind in ("frame", "refused", "again", "picture")), came


def test_a_mistake_of_ours_is_found(monkeypatch, caplog):
    def broken(*_):
        raise KeyError("planted")

    monkeypatch.setattr(answer, "read", broken)
    monkeypatch.setattr(fuzz, "HUNG", 2)
    try:
        for place in range(16):
            fuzz.one(random.Random(place), place)
    except (AssertionError, TimeoutError, KeyError):
        return
    assert "planted" in caplog.text, "which fails a case as well"
