"""A cache of the values that were used last, up to a total size; ``lru_cache`` counts values."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The values that were used last, by key.

    Args:
        most: how much is kept.
        size: of a value, in the unit of ``most``; by default each counts as one.
    """

    def __init__(self, most: int, size: Callable[[V], int] = lambda value: 1) -> None:
        self._most, self._size = most, size
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()  # with its size

    def __contains__(self, key: K) -> bool:
        return key in self._kept

    @property
    def total(self) -> int:
        """The size of all that is kept."""
        return sum(size for _, size in [*self._kept.values()])

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value, kept or made now; one that is larger than all room is not kept."""
        # Streamlit's pages call this from threads: no step here leaves the next a broken state.
        kept = self._kept.pop(key, None)
        if kept is None:
            value = make()
            kept = value, self._size(value)
        if kept[1] <= self._most:
            self._kept[key] = kept
        while self.total > self._most:
            self._kept.popitem(last=False)
        return kept[0]
