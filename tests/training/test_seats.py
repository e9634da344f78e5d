"""A bounded number train at once; the others know how many are before them."""

import threading

from lessons.training.seats import LAPSE, Seats


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def asked(seats, who):
    with seats.turn(who) as before:
        return before


def test_the_first_sit_and_the_others_wait_in_order():
    seats = Seats(2, Clock())
    assert [asked(seats, who) for who in "abcd"] == [0, 0, 1, 2]
    assert [asked(seats, who) for who in "dcba"] == [2, 1, 0, 0]


def test_a_seat_given_back_goes_to_the_next():
    seats = Seats(2, Clock())
    for who in "abcd":
        asked(seats, who)
    seats.leave("a")
    assert [asked(seats, who) for who in "bcd"] == [0, 0, 1]


def test_whoever_is_silent_loses_seat_and_place():
    clock = Clock()
    seats = Seats(1, clock)
    for who in "abc":
        asked(seats, who)
    clock.now = LAPSE + 0.01
    assert asked(seats, "c") == 0, "a and b have gone without a word"
    assert len(seats) == 1
    assert asked(seats, "a") == 1


def test_a_seat_does_not_lapse_while_its_owner_computes():
    clock = Clock()
    seats = Seats(1, clock)
    with seats.turn("a") as before:
        assert before == 0
        clock.now = 100.0
        assert asked(seats, "b") == 1
    assert asked(seats, "b") == 1, "a has only just finished"


def test_a_raise_in_a_turn_frees_it():
    clock = Clock()
    seats = Seats(1, clock)
    try:
        with seats.turn("a"):
            raise RuntimeError
    except RuntimeError:
        pass
    clock.now = LAPSE + 0.01
    assert asked(seats, "b") == 0


def test_never_more_at_once_than_there_are_seats():
    seats = Seats(2)
    lock, here, most, turns = threading.Lock(), 0, 0, [0] * 6
    end = threading.Event()

    def learner(number):
        nonlocal here, most
        while not end.is_set() and turns[number] < 30:
            with seats.turn(number) as before:
                if before:
                    continue
                with lock:
                    here += 1
                    most = max(most, here)
                end.wait(0.001)
                with lock:
                    here -= 1
                turns[number] += 1
        seats.leave(number)

    threads = [threading.Thread(target=learner, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    end.set()
    assert most <= 2
    assert turns == [30] * 6, "everybody had a turn"
