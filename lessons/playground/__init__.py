"""The playground without a page: a small language for gradient tricks, run on torch.

A `Document` holds inputs, a program, an override table and what is plotted; `run` computes it::

    document = from_text("input x = [-2, -1, 1]\\nprogram\\ny = stop_gradient(x**2) * x\\n")
    outcome = run(document)
    outcome["trick_gradient"].y

Whatever a visitor writes, one error family comes out: `PlaygroundError`, with line and column.
The language: functions.py is its table, scan.py and parse.py read it, interpret.py runs it.
"""

from lessons.playground.codegen.differences import differences
from lessons.playground.codegen.program_file import code, defined_in_the_file, program_code
from lessons.playground.document.as_text import from_text, from_url, to_text, to_url
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document, Input, Noise, Override, Plot
from lessons.playground.document.input_text import (
    format_noise,
    format_values,
    read_noise,
    read_values,
)
from lessons.playground.document.override_rules import RULES
from lessons.playground.document.presets import Preset, lesson_document, preset, preset_of, presets
from lessons.playground.language.functions import FORMS, FUNCTIONS
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.execute import gradients, live
from lessons.playground.running.outcome import Outcome, run
from lessons.playground.running.recorded import recorded
from lessons.playground.running.scissors import edges, operations, snip

__all__ = [
    "FORMS",
    "FUNCTIONS",
    "RULES",
    "Document",
    "Input",
    "Noise",
    "Outcome",
    "Override",
    "PlaygroundError",
    "Plot",
    "Preset",
    "check",
    "code",
    "defined_in_the_file",
    "differences",
    "edges",
    "format_noise",
    "format_values",
    "from_text",
    "from_url",
    "gradients",
    "lesson_document",
    "live",
    "operations",
    "preset",
    "preset_of",
    "presets",
    "program_code",
    "read_noise",
    "read_values",
    "recorded",
    "run",
    "snip",
    "to_text",
    "to_url",
]
