"""Somebody's own program: one forward and one backward pass, with what went wrong, on one page.

``target`` finds what is traced, ``arguments`` reads what it is called with, ``watch`` runs it,
``faults`` and ``cuts`` say what went wrong; ``page`` is one HTML file that needs no server, and
``terminal`` the same as text. It needs torch and the recorder; nothing here knows of a lesson.

The program runs here, as its author wrote it: for one's own machine, never for what others send.
"""

from .errors import TraceError
from .faults import Fault
from .trace import Trace, assert_gradients, trace

__all__ = ["Fault", "Trace", "TraceError", "assert_gradients", "trace"]
