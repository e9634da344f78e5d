"""A second thread for half of the seeds: it does all in order, tells what went wrong, and ends."""

import threading
import time

import pytest

from lessons.training.stacked import Background


def test_tasks_are_done_in_order_beside_the_caller_and_the_thread_ends():
    before = threading.active_count()
    done, background, free = [], Background(), threading.Event()
    background.do(free.wait)
    for number in range(20):
        background.do(lambda number=number: done.append((number, threading.current_thread())))
    assert not done, "the caller goes on"
    free.set()
    background.wait()
    assert [number for number, _ in done] == list(range(20))
    assert threading.current_thread() not in {thread for _, thread in done}
    assert threading.active_count() == before


def test_one_alone_has_a_thread_and_others_do_their_tasks_on_the_spot():
    one, other, free = Background(), Background(), threading.Event()
    one.do(free.wait)
    where = []
    other.do(lambda: where.append(threading.current_thread()))
    assert where == [threading.current_thread()]
    free.set()
    one.wait()
    other.do(lambda: where.append(threading.current_thread()))
    other.wait()
    assert where[1] is not threading.current_thread(), "it is free again"


def test_what_a_task_raises_is_raised_once_and_ends_what_waits_behind_it():
    done, background, free = [], Background(), threading.Event()

    def breaks():
        free.wait()
        raise ZeroDivisionError

    background.do(breaks)
    background.do(lambda: done.append("behind"))
    free.set()
    with pytest.raises(ZeroDivisionError):
        background.wait()
    background.wait()
    assert not done
    background.do(lambda: done.append("later"))
    background.wait()
    assert done == ["later"]


def test_many_callers_lose_no_task():
    done = []

    def caller(name):
        background = Background()
        for number in range(200):
            background.do(lambda number=number: done.append((name, number)))
            if number % 50 == 0:
                time.sleep(0.001)
        background.wait()

    callers = [threading.Thread(target=caller, args=(name,)) for name in range(4)]
    for one in callers:
        one.start()
    for one in callers:
        one.join()
    for name in range(4):
        assert [number for who, number in done if who == name] == list(range(200))
