"""The teachers' page: what a browser says of its labs is read as far as it goes."""

from lessons.outputs.catalogue import find
from pages.ui import teach_view


def test_a_kept_address_of_many_words_counts_as_far_as_it_is_read(monkeypatch):
    query = "scale=3&" + "a=1&" * 5000
    monkeypatch.setattr(teach_view, "kept_labs", lambda: {"flip": query})
    flip = find("flip")
    assert teach_view._values(flip, flip.prose.steps[0]) == flip.validate({"scale": "3"})
