"""A cache keeps the values that were used last, up to a total size."""

from pages.labs.recent import Recent


def test_the_oldest_go_first_and_what_is_larger_than_all_room_is_not_kept():
    made: list[str] = []
    known: Recent[str, str] = Recent(10, len)

    def ask(text: str) -> None:
        assert known.get(text, lambda: made.append(text) or text) == text

    for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa"):
        ask(text)
    assert made == ["aaaa", "bbbb", "cccc"]
    assert ("aaaa" in known, "bbbb" in known, known.total) == (True, False, 8)
    ask("d" * 11)
    ask("d" * 11)
    assert made[3:] == ["d" * 11] * 2
    assert known.total == 8
