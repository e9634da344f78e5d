"""What the equivalents printed agrees with ours as it is now, and none has changed since."""

import pytest

from tests.equivalents import AT, TOLERANCE, compared, equivalents, ours

AGAIN = "run: make verify-equivalents ARGS=--write"


@pytest.mark.parametrize("one", list(equivalents()), ids=lambda one: one.name)
def test_an_equivalent_was_run_as_it_stands_and_agrees(one):
    assert one.kept, f"{one.name} was never run; {AGAIN}"
    assert one.kept["digest"] == one.digest, f"{one.name} has changed since it was run; {AGAIN}"
    apart = compared(ours(one.lesson), one.kept["printed"])
    assert max(apart.values()) < TOLERANCE, apart


def test_most_lessons_have_equivalents():
    assert len(list(equivalents())) > 40


def test_a_wrong_number_is_noticed():
    mine = {AT: 1, "forward": [1.0, "nan"], "trick_gradient": [2.0], "name": "Mul", "once": 7}
    same = {"forward": [1.0, "NaN"], "trick_gradient": [[2.0]], "name": "Mul", "else": 1}
    assert compared(mine, same | {"once": [5, 7]})["once"] == 0
    assert compared(mine, same | {"once": [7, 5]})["once"] > 0
    assert set(compared(mine, same).values()) == {0.0}
    assert compared(mine, same | {"trick_gradient": [2.2]})["trick_gradient"] == pytest.approx(0.1)
    assert compared(mine, same | {"name": "Identity"})["name"] == float("inf")
    assert compared(mine, same | {"forward": [1.0, 1.0]})["forward"] == float("inf")
    with pytest.raises(ValueError, match="forward: 1 numbers"):
        compared(mine, same | {"forward": [1.0]})
    with pytest.raises(ValueError, match="trick_gradient is not there"):
        compared(mine, {"forward": [1.0, "nan"]})
