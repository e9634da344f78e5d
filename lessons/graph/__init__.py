"""The graph of a torch program with its numbers: recorder, backward steps, rules, picture.

record.py watches a program run; nodes.py is what it leaves behind, plain data; steps.py tells the
backward pass op by op; rules.py states local derivatives; picture.py describes the drawing, whose
places layout.py finds. Nothing here knows of a web page.
"""

from lessons.graph.nodes import Edge, Node, RecordError, Recording
from lessons.graph.record import named, record
from lessons.graph.values import Value

__all__ = ["Edge", "Node", "RecordError", "Recording", "Value", "named", "record"]
