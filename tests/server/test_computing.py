"""Work for many in one process: what nobody waits for is not begun, what is long makes room."""

import threading
import time

import pytest

from pages.labs.messages import Frame
from pages.server import computing, turns
from pages.server.computing import LABS, Computing
from pages.server.notice import MISTAKE, STOPPED, TOO_LONG_HERE, Notice

pytestmark = pytest.mark.slow

TEXT = '{{"lab":"{}","values":{{"n":"{}"}}}}'


class Lab:
    """A lab of the test's own: counts what was begun, and waits until it may go on."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.go = threading.Event()

    def __call__(self, wish, turn) -> Frame:
        self.begun.append(wish.values["n"])
        assert self.go.wait(30)
        return LABS["home"](wish.model_copy(update={"values": {}}), turn)


class Replies:
    """Who hears what comes of work, by job."""

    def __init__(self) -> None:
        self.replies: dict[int, bytes | Notice] = {}
        self.news = threading.Condition()

    def of(self, job):
        def replies(reply, spent):
            if isinstance(reply, bytes) or reply.last:
                with self.news:
                    self.replies[job] = reply
                    self.news.notify_all()

        return replies

    def until(self, *jobs):
        with self.news:
            assert self.news.wait_for(lambda: {*jobs} <= self.replies.keys(), 30), self.replies


@pytest.fixture
def replies():
    return Replies()


def burn(wish, turn):
    """Work of half a second, in steps of two milliseconds."""
    with turn:
        for step in range(250):
            end = time.thread_time() + 0.002
            while time.thread_time() < end:
                pass
            turn.report((step + 1) / 250)
    return LABS["home"](wish.model_copy(update={"values": {}}), turn)


def test_what_was_stopped_before_it_began_is_never_begun(replies, monkeypatch):
    monkeypatch.setattr(computing, "THREADS", 2)
    lab = Lab()
    does = Computing({**LABS, "lab": lab})
    for job in range(1, 101):
        does.ask(job, "frame", TEXT.format("lab", job), replies.of(job))
    for job in range(3, 101):  # their learners have left
        does.stop(job)
    lab.go.set()
    replies.until(*range(1, 101))
    assert len(lab.begun) == 2
    assert {replies.replies[job] for job in range(3, 101)} == {STOPPED}


def test_a_turn_that_comes_after_the_stop_is_given_back():
    shared = turns.Turns(1)
    with pytest.raises(turns.Stopped), turns.LearnersTurn(shared, stopped=lambda: True):
        raise AssertionError("nothing is computed")
    shared.take(0.0)


def test_short_work_does_not_wait_for_the_end_of_more_long_work_than_there_are_threads(
    replies, monkeypatch
):
    monkeypatch.setattr(computing, "THREADS", 4)
    monkeypatch.setattr(turns, "CROWDED", 0.02)
    does = Computing({**LABS, "burn": burn})
    long = range(1, 13)
    for job in long:
        does.ask(job, "frame", TEXT.format("burn", job), replies.of(job))
    does.ask(13, "frame", '{"lab":"home"}', replies.of(13))
    replies.until(13)
    assert isinstance(replies.replies[13], bytes)
    assert not [job for job in long if isinstance(replies.replies.get(job), bytes)]
    replies.until(*long)
    kinds = [
        one.kind if isinstance(one := replies.replies[job], Notice) else "done" for job in long
    ]
    assert set(kinds) == {"busy", "done"}, "those who are left when there is room come to an end"


def test_a_panic_of_a_compiled_library_is_a_mistake_like_any_other(replies):
    class PanicException(BaseException):  # what pyo3 raises is no Exception
        pass

    def panics(wish, turn):
        raise PanicException

    does = Computing({**LABS, "panics": panics})
    does.ask(1, "frame", TEXT.format("panics", 1), replies.of(1))
    replies.until(1)
    assert replies.replies[1] == MISTAKE


def test_work_that_has_computed_for_long_enough_is_given_up_and_says_so(replies, monkeypatch):
    monkeypatch.setattr(turns, "MOST", 0.1)
    does = Computing({**LABS, "burn": burn})
    does.ask(1, "frame", TEXT.format("burn", 1), replies.of(1))
    replies.until(1)
    reply = replies.replies[1]
    assert isinstance(reply, Notice)
    assert reply.kind == "refused"
    assert "0.1 seconds" in reply.text
    assert "Fewer draws" in reply.text


def test_work_that_takes_longer_than_it_may_here_is_for_another_process(replies):
    does = Computing({**LABS, "burn": burn})
    does.ask(1, "frame", TEXT.format("burn", 1), replies.of(1), here=0.05)
    does.ask(2, "frame", TEXT.format("burn", 2), replies.of(2), here=30)
    replies.until(1, 2)
    assert replies.replies[1] == TOO_LONG_HERE
    assert isinstance(replies.replies[2], bytes)
