"""What a lesson's lab answers: bad input, cuts, previews, what is held; each message by itself."""

from typing import Any

import pytest

from lessons.__main__ import main as export
from lessons.contract.lesson import Lesson, RefusedTextError
from lessons.contract.result import Result
from lessons.outputs.catalogue import find, lessons
from pages.labs.lesson import frame, seconds
from pages.labs.messages import Frame, Wish
from pages.labs.words import WORDS
from tests.support.present import present


def wish(slug: str = "noise_leaks", **more: Any) -> Wish:
    return Wish(lab=slug, **more)


def errors(shown: Frame) -> dict[str, str | None]:
    controls = (c for group in shown["groups"] for c in group["controls"])
    return {c["name"]: c["error"] for c in controls if c["error"]}


def notes_of(shown: Frame) -> str:
    return " ".join(note["text"] for note in shown["notes"])


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_the_same_wish_has_the_same_answer_and_its_address_leads_back(lesson: Lesson) -> None:
    shown = frame(wish(lesson.slug))
    again = frame(wish(lesson.slug, values=shown["form"], cuts=""))
    assert again["accepted"]
    assert again["form"] == shown["form"] == lesson.defaults
    assert [one["alt"] for one in again["figures"]] == [one["alt"] for one in shown["figures"]]
    assert shown["query"] == f"lesson={lesson.slug}&step=1"


def test_bad_text_is_refused_until_the_wish_says_what_was_good() -> None:
    asked = {"x": "a, b", "noise_high": "1.3"}
    with pytest.raises(RefusedTextError):
        frame(wish(values=asked))
    shown = frame(wish(values=asked, good={"x": "5"}))
    assert list(errors(shown)) == ["x"]
    assert not shown["accepted"]
    assert shown["form"]["x"] == "a, b"
    assert "x=5" in shown["query"], "the picture is that of what was good"
    assert "noise_high=1.3" in shown["query"]
    assert "x=5" not in frame(wish(values=asked, good={}))["query"], "or of the default"
    shown = frame(wish(values={"u": "one"}, good={}))
    assert list(errors(shown)) == ["u"]
    assert [group["open"] for group in shown["groups"]][1:] == [True], "or nobody would see it"


def test_two_settings_that_do_not_go_together_fall_back_together() -> None:
    asked = {"noise_low": "1.5", "noise_high": "1.2"}
    shown = frame(wish(values=asked, good={"noise_low": "0.7", "noise_high": "1.2"}))
    assert errors(shown)
    assert "noise_low=0.7" in shown["query"]


@pytest.mark.parametrize("name", ["evil", "__class__", "x\x00", "lesson"])
def test_what_is_no_control_is_left_out(name: str) -> None:
    shown = frame(wish(values={name: "1"}, hide=[name, "seed"], fix=[name, "x", ""]))
    assert shown["form"] == find("noise_leaks").defaults
    assert shown["query"] == frame(wish(hide=["seed"], fix=["x"]))["query"]
    assert shown["query"].endswith("&hide=seed&fix=x")


def test_what_is_neither_on_the_stage_nor_open_is_not_in_a_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Lesson, "record", lambda *all_: pytest.fail("the graph is not shown"))
    shown = frame(wish(values={"noise_high": "1.77"}, open=["table"]))
    assert shown["stage"] == "curves"
    assert [figure["id"] for figure in shown["figures"]] == ["curves"]
    assert shown["graph"] is None
    assert present(shown["table"])["rows"]
    assert {view["name"] for view in shown["views"]} > {"graph", "histogram", "table"}


def test_dragging_walks_a_part_of_the_paths_and_letting_go_all_of_them() -> None:
    asked = {"path": "21", "w": "4.31"}
    shown, whole = (frame(wish("cliff", values=asked, moving=moving)) for moving in (True, False))
    assert not shown["settled"]
    assert shown["query"] == whole["query"], "the address has what was asked for"
    assert "20 updates" in shown["status"]
    assert whole["settled"]
    assert "21 updates" in whole["status"]


def test_a_result_that_is_known_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = find("flip")
    calls = []
    compute = type(lesson).compute

    def counted(*all_: Any) -> Result:
        calls.append(1)
        return compute(*all_)

    monkeypatch.setattr(type(lesson), "compute", counted)
    asked = {"scale": "2.7251"}
    frame(wish("flip", values=asked))
    for step in (1, 2, 3):
        frame(wish("flip", values=asked, step=step, answers=["leak"]))
    frame(wish("flip", values=asked, moving=True))
    assert len(calls) == 1


def test_the_estimate_is_long_for_costly_settings_and_zero_for_refused_ones() -> None:
    assert seconds(wish("cliff")) > 0.05
    assert seconds(wish("cliff", moving=True)) < 0.05
    assert seconds(wish()) < 0.05
    for refused in ({"draws": "1000000"}, {"x": "a, b"}):
        assert seconds(wish(values=refused)) == 0
        assert seconds(wish(values=refused, good={})) < 0.05
    assert seconds(wish("no such lesson")) == 0


def test_a_cut_that_the_program_cannot_run_with_is_mended_and_said() -> None:
    shown = frame(wish("second_derivative", values={"order": "2"}, cuts="pow:0"))
    assert present(shown["graph"])["cuts"] == []
    assert "cannot run" in notes_of(shown)


@pytest.mark.parametrize("carried", [False, True])
def test_an_edge_that_is_not_there_is_named_unless_it_was_cut_at_another_step(
    carried: bool,
) -> None:
    shown = frame(wish("flip", cuts="no_such:0", carried=carried))
    assert ("no_such:0" in notes_of(shown)) is not carried


def test_a_note_that_may_give_the_answer_away_waits_for_it() -> None:
    assert not notes_of(frame(wish(step=2, values={"x": "0"})))
    assert notes_of(frame(wish(step=2, values={"x": "0"}, answers=["leak"])))


def test_the_code_is_the_program_that_ran_with_its_trick_marked() -> None:
    shown = [frame(wish("flip", cuts=cuts, open=["code"])) for cuts in ("", "mul:0")]
    codes = [present(one["code"])["panes"] for one in shown]
    (ran, plain), (cut, same) = (
        [panes[WORDS(name)] for name in ("ran", "plain_torch")] for panes in codes
    )
    assert ran["marks"]
    assert ran["lines"] != cut["lines"]
    assert plain == same


def test_the_file_to_take_home_is_the_one_that_the_command_line_writes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = frame(wish("flip", values={"scale": "3"}, moving=True, open=["code"]))
    export(["export", "flip", "--set", "scale=3"])
    assert present(shown["code"])["files"] == {"flip.py": capsys.readouterr().out}


def test_a_question_holds_its_controls_until_it_is_answered() -> None:
    asked = {"step": 3, "values": {"since": "2"}}
    for answers, since in (([], "1"), (["since"], "2")):
        shown = frame(wish("frozen_checkpoint", **asked, answers=answers))
        assert shown["form"]["since"] == since
        assert (WORDS("held") in str(shown["groups"])) is not bool(answers)
