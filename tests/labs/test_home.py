"""The home page's lab: the graph of one program, to cut."""

import pytest

from pages.labs.home import frame
from pages.labs.messages import Wish


@pytest.mark.parametrize(
    ("cuts", "said"),
    [
        ("", "32 + 16 = 48"),
        ("pow:0", "~32~ + 16 = 16"),
        ("mul:1", "32 + ~16~ = 32"),
        ("mul:0", "16"),
        ("pow:0,mul:1", "~32~ + ~16~ = none"),
        ("nothing:9", "32 + 16 = 48"),
    ],
)
def test_the_sum_follows_the_scissors_and_the_output_stays(cuts, said):
    graph = frame(Wish(lab="home", cuts=cuts))["graph"]
    pieces = [f"~{text}~" if cut else text for text, cut in graph["equation"]]
    assert "".join(pieces).endswith(f"= {said}")
    assert [node["value"] for node in graph["nodes"] if node["id"] == "mul"] == ["64"]


def test_nothing_else_can_be_set():
    given = {"x": "9", "stopped": "both", "evil": "1"}
    shown = frame(Wish(lab="home", values=given, step=99, open=["table"]))
    plain = frame(Wish(lab="home"))
    assert shown["groups"] == shown["figures"] == []
    assert shown["graph"]["equation"] == plain["graph"]["equation"]
