"""How a process is set up: what threads do at the same time does not meet."""

import ast
import gc
import threading

import pytest

from lessons.outputs.process import parse_in_turn

TEXT = "def f(x):\n    return [x, (x + 1) * 2, g(x)]\n" * 20


@pytest.fixture
def often():
    """Garbage is collected each time that some objects were made: within a single tree, too."""
    before = gc.get_threshold()
    yield lambda: gc.set_threshold(20)
    gc.set_threshold(*before)


def test_a_tree_is_made_right_while_another_thread_wants_one(monkeypatch, often):
    monkeypatch.setattr(ast, "parse", ast.parse)  # put back afterwards
    parse_in_turn()
    parse_in_turn()
    begun, others = [], []

    class Dropped:
        """As it goes, in the midst of a tree, another thread begins one of its own."""

        def __init__(self):
            self.itself = self

        def __del__(self):
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
