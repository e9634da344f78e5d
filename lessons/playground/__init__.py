"""The playground without a page: a small language for gradient tricks, run on torch.

A `Document` holds inputs, a program, an override table and what is plotted; `run` computes it::

    document = from_text("input x = [-2, -1, 1]\\nprogram\\ny = stop_gradient(x**2) * x\\n")
    outcome = run(document)
    outcome["trick_gradient"].y

Whatever a visitor writes, one error family comes out: `PlaygroundError`, with line and column.
The language: functions.py is its table, scan.py and parse.py read it, interpret.py runs it.
"""

from lessons.playground.check import check
from lessons.playground.code import code, defined_in_the_file, program_code
from lessons.playground.cuts import Operation, cut, mend, operations, toggle
from lessons.playground.differences import differences
from lessons.playground.document import Document, Input, Noise, Override, Plot
from lessons.playground.errors import PlaygroundError
from lessons.playground.execute import gradients, live
from lessons.playground.functions import FORMS, FUNCTIONS
from lessons.playground.graph import edges, recorded, snip
from lessons.playground.preset import Preset, beside, preset, presets
from lessons.playground.rules import RULES
from lessons.playground.run import Outcome, run
from lessons.playground.text import from_text, from_url, to_text, to_url
from lessons.playground.values import format_noise, format_values, read_noise, read_values

__all__ = [
    "FORMS",
    "FUNCTIONS",
    "RULES",
    "Document",
    "Input",
    "Noise",
    "Operation",
    "Outcome",
    "Override",
    "PlaygroundError",
    "Plot",
    "Preset",
    "beside",
    "check",
    "code",
    "cut",
    "defined_in_the_file",
    "differences",
    "edges",
    "format_noise",
    "format_values",
    "from_text",
    "from_url",
    "gradients",
    "live",
    "mend",
    "operations",
    "preset",
    "presets",
    "program_code",
    "read_noise",
    "read_values",
    "recorded",
    "run",
    "snip",
    "to_text",
    "to_url",
    "toggle",
]
