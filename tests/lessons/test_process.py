"""How a process is set up: what threads do at the same time does not meet."""

import ast
import gc
import threading
from collections.abc import Callable, Iterator

import pytest

from lessons.outputs.process import parse_in_turn

TEXT = "def f(x):\n    return [x, (x + 1) * 2, g(x)]\n" * 20


@pytest.fixture
def often() -> Iterator[Callable[[], None]]:
    """Garbage is collected each time that some objects were made: within a single tree, too."""
    before = gc.get_threshold()
    yield lambda: gc.set_threshold(20)
    gc.set_threshold(*before)


def test_a_tree_is_made_right_while_another_thread_wants_one(
    monkeypatch: pytest.MonkeyPatch, often: Callable[[], None]
) -> None:
    monkeypatch.setattr(ast, "parse", ast.parse)  # put back afterwards
    parse_in_turn()
    parse_in_turn()
    begun: list[threading.Thread] = []
    others: list[ast.Module] = []

    class Dropped:
        """As it goes, in the midst of a tree, another thread begins one of its own."""

        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            other = threading.Thread(target=lambda: others.append(ast.parse(TEXT)))
            other.start()
            other.join(0.02)
            begun.append(other)
            if len(begun) < 10:
                Dropped()

    Dropped()
    often()
    tree = ast.parse(TEXT)
    for other in begun:
        other.join()
    assert len(others) == len(begun) == 10
    assert {ast.dump(one) for one in others} == {ast.dump(tree)}
