"""The home page's lab: three programs under one choice."""

import pytest

from lessons.training.covering import roles_of
from pages.labs.home import CUTS, frame
from pages.labs.messages import Wish


@pytest.mark.parametrize("cut", CUTS)
def test_each_choice_shows_its_program_and_its_gradient(cut):
    shown = frame(Wish(lab="home", values={"cut": cut, "noise_high": "1.3"}))
    assert [one["id"] for one in shown["figures"]] == ["forward", "gradient"]
    gradient = shown["figures"][1]
    assert gradient["title"].startswith("dz/dx: spread ")
    assert (cut == "right_place") == gradient["title"].endswith("→ 0")
    roles = set(roles_of(gradient["figure"]["data"]))
    assert (
        roles
        == {"trick_gradient", "intended_gradient"}
        == {k["role"] for k in shown["key"]} - {"forward"}
    )
    (goal,) = shown["goals"]
    assert goal["value"], "the noise is in the value whatever is cut"
    assert goal["gradient"] == (cut == "right_place")
    controls = {c["name"]: c for group in shown["groups"] for c in group["controls"]}
    assert list(controls) == ["cut", "noise_low", "noise_high"]
    assert (controls["cut"]["value"], controls["noise_high"]["value"]) == (cut, "1.3")
    assert shown["code"]["digest"].startswith(cut)
    assert shown["form"] == {"cut": cut, "noise_low": "0.6", "noise_high": "1.3"}


def test_without_noise_the_goal_is_not_reached():
    (goal,) = frame(Wish(lab="home", values={"noise_low": "1", "noise_high": "1"}))["goals"]
    assert (goal["value"], goal["gradient"]) == (False, True)


@pytest.mark.parametrize("cut", ["flip", "", "../x"])
def test_a_choice_that_there_is_not_is_the_first_one(cut):
    shown = frame(Wish(lab="home", values={"cut": cut, "x": "9"}))
    assert shown["form"]["cut"] == next(iter(CUTS))
    assert "x" not in shown["form"]
