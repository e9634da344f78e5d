"""The graph of a torch program with its numbers: it watches the program run, forward and backward.

``recording`` sees each op and writes it down; derivatives.py has the local derivative of an op;
``picture`` lists the steps of the backward pass and draws the graph; cutting.py stops the gradient
at edges. Nothing here knows of a lesson or of a web page: torch and the engine alone.
"""

from .recording.nodes import Edge, Node, RecordError
from .recording.plain_tensor import Value
from .recording.record import named, record
from .recording.recording import Recording
from .recording.saved import RefusedError

__all__ = ["Edge", "Node", "RecordError", "Recording", "RefusedError", "Value", "named", "record"]
