"""The graph of a torch program with its numbers: it watches the program run, forward and backward.

``recording`` sees each op and writes it down; derivatives.py has the local derivative of an op;
``picture`` lists the steps of the backward pass and draws the graph; cutting.py stops the gradient
at edges. Nothing here knows of a lesson or of a web page: it needs torch, the engine and ``text``.
"""

from .recording.nodes import Edge, Left, Node, RecordError, Stale, reached
from .recording.plain_tensor import Value, short, unflat, whole
from .recording.record import named, record
from .recording.recording import Listener, Recording
from .recording.saved import RefusedError, memory
from .recording.switches import Off
from .recording.torch_calls import tensors_in
from .recording.variables import Where, assigned, in_line, line_of

__all__ = [
    "Edge", "Left", "Listener", "Node", "Off", "RecordError", "Recording", "RefusedError", "Stale",
    "Value", "Where", "assigned", "in_line", "line_of", "memory", "named", "reached", "record",
    "short", "tensors_in", "unflat", "whole",
]  # fmt: skip
