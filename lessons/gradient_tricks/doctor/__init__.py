"""Watches your training script or function, and says what is wrong with its gradients.

``command`` runs a script; ``target`` finds what else is traced, and what it is called with.
``watch`` listens, ``faults`` collects what went wrong; ``page`` is one HTML file that needs no
server, and ``report`` has the same as text. It needs torch and the recorder, and knows no lesson.

It runs the program on this machine, as its author wrote it: use it for your own programs, never
for a program that somebody sends.
"""

from .errors import TraceError
from .trace import Trace, assert_gradients, trace
from .words import Fault

__all__ = ["Fault", "Trace", "TraceError", "assert_gradients", "trace"]
