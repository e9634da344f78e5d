"""Writes a lesson as one runnable Python file that needs only torch: what the app itself runs."""

from collections.abc import Collection

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Values
from lessons.kit import bundle as bundling
from lessons.kit.bundle import bundle
from lessons.tracer.cutting import Cut, cut
from lessons.training import script as training_script

_HEAD = '''"""{title}

{slug}, from Gradient Tricks Lab, with the settings of your screen. Needs Python and torch:

    python {slug}.py

It prints one JSON object: the forward value and each gradient at your inputs.
"""
'''


def export(lesson: Lesson, values: Values, cuts: Collection[Cut] = ()) -> str:
    """The file's text for this lesson, these values, and these edges of its graph cut.

    Raises:
        ExportError: a lesson's source cannot be carried over.
    """
    program = lesson.program.__name__
    script = lesson.lab.script(program, values)
    homes = [lesson.program.__module__, lesson.lab.compute.__module__]
    homes += [bundling.__name__, training_script.__name__]
    if cuts:
        script = f"{_cut_line(program, cuts)}\n{script}"
        homes.append(cut.__module__)
    return _HEAD.format(title=lesson.title, slug=lesson.slug) + "\n" + bundle(script, homes)


def with_cuts(lesson: Lesson, cuts: Collection[Cut]) -> str:
    """The program's source, and how it is cut open if it is."""
    if not cuts:
        return lesson.source
    return f"{lesson.source}\n\n{_cut_line(lesson.program.__name__, cuts)}\n"


def _cut_line(program: str, cuts: Collection[Cut]) -> str:
    pairs = ", ".join(f"({op!r}, {operand})" for op, operand in sorted(cuts))
    return f"{program} = cut({program}, [{pairs}])"
