"""A lab's settings as a class: in which order, of which type, and which of them are read."""

import pytest

from lessons.contract.parameters import InvalidParametersError
from lessons.contract.settings import choice, slider, whole
from lessons.kit.inputs import AlongX, point_in_text


class Own(AlongX):
    v = slider(0.5, -1, 2, accepts=(-3, 3))
    stop = choice("no", "yes", default="yes")
    times = whole(2, 1, 9)


class Overridden(Own):
    point = point_in_text(3)


def test_own_settings_come_first_and_a_base_class_adds_its_own_behind() -> None:
    assert [one.name for one in Own.parameters] == [
        *("v", "stop", "times", "x", "point", "device", "dtype")
    ]
    assert (Own.read({}).point, Overridden.read({}).point) == (1, 3)


def test_they_are_read_as_attributes_and_as_a_mapping() -> None:
    settings = Own.read({"v": "-1.5"})
    assert (settings.v, settings["v"], settings.stop, settings.times) == (-1.5, -1.5, "yes", 2)
    other = settings | {"times": 3}
    assert (other.times, settings.times, {**other, "times": 2} == settings) == (3, 2, True)
    assert "w" not in settings
    with pytest.raises(InvalidParametersError, match="outside −3 to 3"):
        Own.read({"v": "4"})


def test_a_copy_notes_which_settings_are_read() -> None:
    noted, read = Own.read({}).recording_reads()
    assert (noted.v, noted["times"], read) == (0.5, 2, {"v": 0.5, "times": 2})
