"""Room for the pages that compute: a lab's first picture, and the numbers in a lesson's text."""

import threading

AT_ONCE = 2
"""Pages that compute at the same time. Each page runs in a thread of its own, Python runs one of
them at a time, and each holds some megabytes: 48 heavy ones at once took 0.4 GB."""

room = threading.BoundedSemaphore(AT_ONCE)
