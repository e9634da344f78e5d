"""How much a sender may send: so much a second in the long run, and so much at once."""

import time


class Allowance:
    """One sender's allowance: ``rate`` a second, and ``burst`` at once if it was quiet."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._counted = burst, time.monotonic()

    def spend(self, amount: float) -> float:
        """Note what was sent; return the seconds until the sender may be read again."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._counted) * self._rate) - amount
        self._counted = now
        return max(0.0, -self._left / self._rate)
