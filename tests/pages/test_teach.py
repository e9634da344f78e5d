"""The teachers' page and the links it makes."""

from lessons.contract.lesson import without_hidden
from lessons.outputs.catalogue import find
from pages.labs import payload
from pages.ui import teach_view


def test_a_kept_address_of_many_words_counts_as_far_as_it_is_read(monkeypatch):
    query = "scale=3&" + "a=1&" * 5000
    monkeypatch.setattr(teach_view, "kept_labs", lambda: {"flip": query})
    flip = find("flip")
    assert teach_view._values(flip, flip.prose.steps[0]) == flip.validate({"scale": "3"})


def test_what_a_link_hides_is_neither_named_in_the_text_nor_leaves_an_empty_heading():
    leaks = find("noise_leaks")
    text = leaks.prose.steps[2].text
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
