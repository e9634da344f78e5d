"""The teachers' page and the links it makes."""

from urllib.parse import parse_qs

import pytest

from lessons.contract.lesson import without_hidden
from lessons.outputs.catalogue import find, lessons
from pages.labs import payload
from pages.labs.lesson import frame
from pages.labs.messages import Wish
from pages.ui import teach_view
from pages.ui.place import Place
from pages.ui.teach_view import teacher_query
from tests.support.folded import folded


def test_a_kept_address_of_many_words_counts_as_far_as_it_is_read(monkeypatch):
    query = "scale=3&" + "a=1&" * 5000
    monkeypatch.setattr(teach_view, "kept_labs", lambda: {"flip": query})
    flip = find("flip")
    assert teach_view._values(flip, flip.prose.steps[0]) == flip.validate({"scale": "3"})


def test_what_a_link_hides_is_neither_named_in_the_text_nor_leaves_an_empty_heading():
    leaks = find("noise_leaks")
    text = leaks.prose.steps[0].text
    assert "**Noise to**" in text
    left = without_hidden(leaks, text, {"noise_high"})
    assert "Noise to" not in left
    assert left in text
    assert without_hidden(leaks, text, {"seed"}) == text
    more = {p.name for p in leaks.lab.parameters if p.advanced}
    values = leaks.validate({})
    for hidden, title in ((more, None), (set(list(more)[1:]), "More settings")):
        groups = payload.groups(leaks, values, leaks.text(values), {}, hidden)
        assert groups[1]["title"] == title


def test_a_teachers_address_hides_and_holds_and_comes_back():
    lesson = find("noise_leaks")
    place = Place.opened(lesson, {"noise_high": "1.5", "hide": "seed,u", "fix": "noise_high,draws"})
    place.order({"noise_high": "1.9"})
    place.reset(1, {})
    assert (place.text["noise_high"], place.text["draws"]) == ("1.5", "500")
    asked = {"hide": sorted(place.hide), "fix": sorted(place.fix), "step": 3}
    shown = frame(Wish(lab="noise_leaks", values=place.text, **asked))
    controls = {c["name"]: c for group in shown["groups"] for c in group["controls"]}
    assert {name for name, c in controls.items() if c["hidden"]} == {"seed", "u"}
    assert {name for name, c in controls.items() if c["disabled"]} == {"noise_high", "draws"}
    again = {name: text for name, (text,) in parse_qs(shown["query"]).items()}
    assert again["hide"].split(",") == ["seed", "u"]
    assert (again["noise_high"], again["draws"]) == ("1.5", "500")


@pytest.mark.parametrize(
    "names", ["nothing", "seed,<script>", "," * 5_000, "seed," * 5_000, "\x00", "__class__"]
)
def test_hostile_names_in_a_teachers_address_are_left_out(names):
    place = Place.opened(find("noise_leaks"), {"hide": names, "fix": names})
    assert place.hide == place.fix <= {"seed"}
    if "seed" not in names and names.strip(","):
        assert "no such parameter" in place.note


@folded("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_a_link_for_teaching_opens_the_lab_as_it_was(lesson):
    for number, step in enumerate(lesson.prose.steps, start=1):
        for values in (lesson.validate({}), lesson.validate(step.lab)):
            query = teacher_query(lesson, number, values, [], [])
            asked = {n: t for n, (t,) in parse_qs(query, keep_blank_values=True).items()}
            assert (asked.pop("lesson"), asked.pop("step")) == (lesson.slug, str(number))
            assert lesson.validate(asked) == values
            assert asked or not step.lab, "an address without values takes the step's own"
