"""Names that could collide with something in a generated file, and programs that use each of them.

test_names.py adds the names in the generated files.
"""

import builtins
import keyword
import math
from collections.abc import Sequence
from itertools import pairwise

import torch

from lessons.playground.document.contents import Document, Input, Override
from lessons.playground.language.functions import CALLABLE

_LIKE_THE_FILES = """
torch np numpy sys argv op rule_12 x1 x_1 x__ a_ torch_ torch__ tuple_ overridden_ rule_1_ p1_
output_ inputs_
""".split()  # noqa: SIM905
_PYTHONS = [*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *dir(math)]
NAMES = tuple(
    word
    for word in dict.fromkeys([*_LIKE_THE_FILES, *_PYTHONS, *dir(torch.nn.functional)])
    if len(word) <= 32 and word[0].isalpha()
)
LOOKALIKES = (
    "х", "ｘ", "𝑥", "µ", "λ", "é", "ﬁ", "ª", "x²", "x́", "x\u200b", "tоrch", "ſum",
    "_", "__", "_x", "_torch", "__name__", "__debug__", "__class__", "__builtins__", "__file__",
)  # fmt: skip
"""What the language has no way to write: other alphabets, and an underscore in front."""

_BASE = """\
line_1 = straight_through(round)(start) + forward_backward(onehot_argmax, softmax)(start)
line_2 = clip_gradient(flip_gradient(start), -1, 1) + scale_gradient(line_1, 3) + step(start)
line_3, line_4, line_5 = unbind(start + onehot_sample(softmax(start), 0.4))
line_6, line_7 = py_func(start * 2 + line_3, start * line_4)
line_8 = identity(line_6 * line_7) + where(start > 0, relu(start), 1) + clamp(start, -1, 2)
line_9 = forward_backward(sign, softplus)(line_8) + clip_gradient_norm(line_2, 2) * start
"""  # every name that a file reads of itself is read here
_OVERRIDES = (
    Override("tanh", "grad * (1 - out1)"),
    Override("identity", "clip", ("line_8",)),
    Override("py_func", "grad1 * 2 + grad2, None, None", ("line_6",)),
)
_START = Input("start", (-1.5, 0.75, 1.25))
_GIVEN = 11
_MADE = 60


def usable(names: Sequence[str]) -> list[str]:
    """Those that are no word of Python's and no function of the language."""
    return [one for one in names if not keyword.iskeyword(one) and one not in CALLABLE]


def as_inputs(names: Sequence[str]) -> Document:
    """A program of eleven inputs with these names, each of which the gradient reaches."""
    assert len(names) == _GIVEN
    given = (Input(name, 0.5 + place / 8) for place, name in enumerate(names))
    together = f"line_10 = py_func(softplus({names[0]}) + {' + '.join(names[1:])})"
    lines = [f"tanh({name}) * {place} * start" for place, name in enumerate(names, start=1)]
    program = f"{_BASE}{together}\nline_11 = line_9 * line_10 + {' + '.join(lines)}"
    return Document((_START, *given), program, overrides=_OVERRIDES)


def as_results(names: Sequence[str]) -> Document:
    """A program of sixty lines that give these names, each of which the output reads."""
    assert len(names) == _MADE
    lines = [f"{names[0]} = py_func(softplus(start)) + tanh(line_9)"]
    lines += [f"{name} = {before} * 0.9 + start" for before, name in pairwise(names)]
    return Document((_START,), _BASE + "\n".join(lines), names[-1], _OVERRIDES)


def documents(names: Sequence[str]) -> list[tuple[Document, Document]]:
    """Programs with each usable name as input and as result, each paired with the plain one."""
    found = []
    for write, size in ((as_inputs, _GIVEN), (as_results, _MADE)):
        plain = write([f"plain_{place}" for place in range(size)])
        some = usable(names)
        some += some[: -len(some) % size]
        found += [(write(some[at : at + size]), plain) for at in range(0, len(some), size)]
    return found
