"""Cases folded into one test: all run, who fails is named, and what is skipped is no success."""

import pytest

from tests.support.folded import folded


def test_each_case_runs_and_each_that_fails_is_named():
    ran = []

    @folded("value, word", [(1, "one"), (2, "two"), (3, "three")], ids=lambda case: case[1])
    def even(value, word, more):
        ran.append((value, word, more))
        assert value % 2 == 0

    with pytest.raises(BaseExceptionGroup, match="2 of 3 cases") as caught:
        even(more="given")
    assert ran == [(1, "one", "given"), (2, "two", "given"), (3, "three", "given")]
    notes = [one.__notes__ for one in caught.value.exceptions]
    assert notes == [["The case: one"], ["The case: three"]]


@pytest.fixture
def limit():
    return 3


@folded("value", range(3))
def test_fixtures_come_as_ever(value, limit):
    assert value < limit


def test_what_is_failed_by_word_counts_and_a_skip_does_not():
    @folded("value", range(3))
    def mixed(value):
        pytest.fail("by word") if value == 1 else pytest.skip("does not fit")

    with pytest.raises(BaseExceptionGroup, match="1 of 3 cases"):
        mixed()


@pytest.mark.parametrize("values", [[], [1, 2]])
def test_a_test_without_a_case_that_fits_is_skipped(values):
    @folded("value", values)
    def none_fits(value):
        pytest.skip("does not fit")

    with pytest.raises(pytest.skip.Exception, match="all cases"):
        none_fits()
