"""The home page's lab: the graph of one program, to cut."""

import pytest

from pages.labs.home import SUM, WHOLE, frame
from pages.labs.messages import Wish


@pytest.mark.parametrize(
    ("cuts", "said"),
    [
        ("", WHOLE),
        ("pow:0", "16"),
        ("mul:1", "32"),
        ("mul:0", "16"),
        ("pow:0,mul:1", "None: no gradient reaches x"),
        ("nothing:9", WHOLE),
    ],
)
def test_the_sum_follows_the_scissors_and_the_output_stays(cuts, said):
    shown = frame(Wish(lab="home", cuts=cuts))
    assert shown["numbers"] == {SUM: said}
    (output,) = [node["value"] for node in shown["graph"]["nodes"] if node["id"] == "mul"]
    assert output == "64"


def test_nothing_else_can_be_set():
    shown = frame(Wish(lab="home", values={"x": "9", "stopped": "both", "evil": "1"}, step=99))
    assert shown["groups"] == shown["figures"] == []
    assert shown["numbers"] == {SUM: WHOLE}
