"""How many pages compute at a time: their labs' first pictures, and the numbers in their texts.

Each page runs in a thread of its own, however many are opened, and what is computed holds some
megabytes until it is done.
"""

import threading

AT_ONCE = 2
"""Pages that compute at the same time. Python runs one thread at a time, so more gain nothing."""

ROOM = threading.BoundedSemaphore(AT_ONCE)
