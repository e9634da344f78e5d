"""Watches a training script or a function of one's own, and says what is wrong with its gradients.

``script`` runs a script; ``target`` finds what else is traced, and ``arguments`` reads what it is
called with. ``watch`` listens, ``faults`` collects what went wrong; ``page`` is one HTML file that
needs no server, and ``terminal`` has the same as text. It needs torch and the recorder, and knows
no lesson.

The program runs here, as its author wrote it: for one's own machine, never for what others send.
"""

from .errors import TraceError
from .trace import Trace, assert_gradients, trace
from .words import Fault

__all__ = ["Fault", "Trace", "TraceError", "assert_gradients", "trace"]
