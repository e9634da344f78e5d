"""20,000 random and hostile documents; fuzz.py says what must hold."""

from tests.support.fuzzing import found

PROGRAMS = 20_000


def test_twenty_thousand_documents_do_no_harm():
    came = found("tests.playground.fuzz", PROGRAMS)
    assert came["ran"] + came["refused"] == PROGRAMS
    # Neither half may quietly become a test of nothing.
    assert came["ran"] > PROGRAMS // 10
    assert came["refused"] > PROGRAMS // 4
