"""Keeps what was computed, and computes it once for all who want it at the same time."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def _patient() -> None:
    """Waits as long as it takes."""


class Once(Generic[K, V]):
    """The newest values by key, for all threads.

    Args:
        most: how much is kept.
        size: of a value, in the unit of ``most``; by default each counts as one.
    """

    def __init__(self, most: int, size: Callable[[V], int] = lambda value: 1) -> None:
        self._most, self._size = most, size
        self._lock = threading.Lock()
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._making: dict[K, threading.Event] = {}
        self._total = 0

    def look(self, key: K) -> V | None:
        """The value, if it is kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def get(self, key: K, make: Callable[[], V], waiting: Callable[[], None] = _patient) -> V:
        """The value, kept or made now.

        Where another thread makes it, that one is waited for; where it fails or is stopped, the
        next one makes it. ``waiting`` is called now and then meanwhile, and may raise.
        """
        while True:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key]
                others = self._making.get(key)
                if others is None:
                    mine = self._making[key] = threading.Event()
                    break
            while not others.wait(0.1):
                waiting()
        try:
            value = make()
            self.keep(key, value)
            return value
        finally:
            with self._lock:
                del self._making[key]
            mine.set()

    def keep(self, key: K, value: V) -> None:
        """Keep a value, and drop the oldest ones beyond what may be kept."""
        size = self._size(value)
        if size > self._most:
            return
        with self._lock:
            if key in self._kept:
                self._total -= self._size(self._kept.pop(key))
            self._kept[key] = value
            self._total += size
            while self._total > self._most:
                self._total -= self._size(self._kept.popitem(last=False)[1])
