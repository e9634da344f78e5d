"""Who computes when: few at once, whoever used least first, and what ends work."""

import threading
import time

import pytest

from pages.server import turns
from pages.server.turns import (
    Busy,
    LearnersTurn,
    Overtaken,
    Stopped,
    TooLongHere,
    Turns,
    Used,
)


def test_no_more_compute_at_once_than_there_are_turns():
    shared = Turns(2)
    inside, most, lock = 0, 0, threading.Lock()

    def work():
        nonlocal inside, most
        for _ in range(20):
            with LearnersTurn(shared):
                with lock:
                    inside += 1
                    most = max(most, inside)
                time.sleep(0.001)
                with lock:
                    inside -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2
    assert not shared.wanted()


def test_whoever_has_used_less_comes_first():
    shared = Turns(1)
    order = []
    shared.take(0.0)
    names = {"long": 5.0, "short": 0.1, "new": 0.0}

    def wait(name):
        shared.take(names[name])
        order.append(name)
        shared.give()

    threads = []
    for count, name in enumerate(names, 1):
        threads.append(threading.Thread(target=wait, args=(name,)))
        threads[-1].start()
        while len(shared._waiting) < count:
            time.sleep(0.001)
    shared.give()
    for thread in threads:
        thread.join()
    assert order == ["new", "short", "long"]


def until(what):
    end = time.monotonic() + 30
    while not what() and time.monotonic() < end:
        time.sleep(0.001)


def held(shared, used):
    """A turn is held, by a thread of its own, until it is let go."""
    over, inside = threading.Event(), threading.Event()

    def hold():
        shared.take(used)
        inside.set()
        over.wait(30)
        shared.give(used)

    thread = threading.Thread(target=hold)
    thread.start()
    assert inside.wait(30)

    def end():
        over.set()
        thread.join()

    return end


def asking(shared, used):
    """One who has used so much, and what is set once it was let in and has ended."""
    ended = threading.Event()

    def work():
        shared.take(used)
        shared.give(used)
        ended.set()

    threading.Thread(target=work).start()
    return ended


def waits(shared, used):
    """Whether one who has used so much still waits after a while."""
    return not asking(shared, used).wait(0.3)


def comes_in(shared, used):
    """Whether one who has used so much is let in; a busy machine begins a thread late."""
    return asking(shared, used).wait(20)


def test_nobody_light_waits_for_a_piece_of_one_who_used_much():
    shared = Turns(1)
    end = held(shared, 5.0)
    assert waits(shared, 4.0), "who used much waits for its end"
    assert comes_in(shared, 0.0), "and does not hold up one who used little"
    assert comes_in(shared, 0.0), "again and again"
    beside = held(shared, 0.0)
    assert waits(shared, 0.0), "but one at a time"
    beside()
    end()
    while shared.wanted() or shared._running:
        time.sleep(0.001)
    light = held(shared, 0.0)
    assert waits(shared, 0.0), "beside light work there is nobody: it ends soon"
    light()


def test_long_work_lets_somebody_else_in_between():
    shared = Turns(1)
    seen = []

    class Held(LearnersTurn):
        def __enter__(self):
            holder.append(self)
            super().__enter__()

    holder = []

    def long_work():
        with Held(shared):
            for step in range(100):
                if step == 3:
                    until(shared.wanted)
                time.sleep(0.005)
                seen.append("long")
                holder[0].report((step + 1) / 200)

    thread = threading.Thread(target=long_work)
    thread.start()
    until(lambda: len(seen) == 3)
    with LearnersTurn(shared):
        seen.append("short")
    thread.join()
    assert seen.index("short") < 60, "it did not wait for the end, which is a hundred steps away"
    assert seen[-1] == "long"


@pytest.mark.parametrize(
    ("how", "error"),
    [({"stopped": lambda: True}, Stopped), ({"overtaken": lambda: True}, Overtaken)],
)
def test_work_is_given_up_where_it_tells_how_far_it_is(how, error, monkeypatch):
    monkeypatch.setattr(turns, "PATIENCE", 0.0)
    shared = Turns(1)
    turn = LearnersTurn(shared, **how)
    with pytest.raises(error), turn:
        turn.report(0.5)
    shared.take(0.0)  # it was given back


def test_a_newer_wish_does_not_end_what_is_quick():
    turn = LearnersTurn(Turns(1), overtaken=lambda: True)
    with turn:
        turn.report(0.5)


def test_the_share_is_told_once_work_is_slow(monkeypatch):
    reports = []
    turn = LearnersTurn(Turns(1), on_progress=lambda *progress: reports.append(progress))
    with turn:
        turn.report(0.5)
        assert reports == []
        monkeypatch.setattr(turns, "PATIENCE", 0.0)
        turn.report(0.5)
        turn.report(1.0)
    assert [share for share, _ in reports] == [0.5]


def test_there_is_a_limit_to_long_work(monkeypatch):
    monkeypatch.setattr(turns, "LONG", 0.0)
    shared = Turns(99)
    holding = [LearnersTurn(shared) for _ in range(turns.MOST_LONG)]
    for turn in holding:
        turn.__enter__()
        turn.report(0.1)
    one_more = LearnersTurn(shared)
    with pytest.raises(Busy), one_more:
        one_more.report(0.1)
    holding[0].__exit__(None, None, None)
    with one_more:
        one_more.report(0.1)


def test_who_has_used_much_of_late_comes_after_who_has_not(monkeypatch):
    now = 100.0
    monkeypatch.setattr(turns.time, "monotonic", lambda: now)
    used = Used()
    used.add(1, 2.0)
    assert used.of(1) == (2.0, 2.0)
    assert used.of(2) == (0.0, 0.0)
    now += Used.HALF
    assert used.of(1) == (1.0, 2.0)
    used.add(1, 0.5)
    assert used.of(1) == (1.5, 0.5)
    for client in range(10, 10 + Used.MOST_KNOWN):
        used.add(client, 0.1)
    assert used.of(1) == (0.0, 0.0), "only so many are remembered"


def test_what_was_used_before_counts_in_the_queue():
    shared = Turns(1)
    order = []
    shared.take(0.0)

    def work(name, before):
        with LearnersTurn(shared, before=before):
            order.append(name)

    threads = [threading.Thread(target=work, args=one) for one in (("hog", 3.0), ("new", 0.0))]
    for count, thread in enumerate(threads, 1):
        thread.start()
        while len(shared._waiting) < count:
            time.sleep(0.001)
    shared.give()
    for thread in threads:
        thread.join()
    assert order == ["new", "hog"]


def test_work_that_begins_anew_elsewhere_tells_no_share_first(monkeypatch):
    """There it begins at nothing: the share that a learner sees would go back."""
    monkeypatch.setattr(turns, "PATIENCE", 0.0)
    reports = []
    turn = LearnersTurn(Turns(1), on_progress=lambda *progress: reports.append(progress), here=0.0)
    with pytest.raises(TooLongHere), turn:
        turn.report(0.5)
    assert reports == []
