"""Programs at the edge of what is accepted, by chance: as wide and as long as the limits allow."""

import random

from lessons.playground.document.contents import Document, Input, Noise, Override
from lessons.playground.language.limits import MAX_CHARACTERS, MAX_OPS

_CELLS = tuple((i % 7 + 1) / 7 for i in range(1024))
_COLUMN = tuple((cell,) for cell in _CELLS)
_SQUARE = tuple(_CELLS[i : i + 32] for i in range(0, 1024, 32))
_TALL = tuple(_CELLS[i : i + 16] for i in range(0, 1024, 16))
STARTS = (
    ("x*[1,1.5,2,2.5]", _COLUMN),
    ("x*2", _CELLS),
    ("x@x", _SQUARE),
    ("x@transpose(x)", _TALL),  # 64 × 64
)
LINES = (
    "{p}*1.001", "{p}*{p}*0.9", "{p}**1.01", "{p}**3", "softmax({p})", "log_softmax({p})",
    "tanh({p})", "sin({p})", "exp({p}*0.1)", "sqrt(abs({p}))", "softplus({p})", "{p}/(1+{p}*{p})",
    "where({p}>0.5,{p},{q})", "maximum({p},{q})", "clamp({p},-1,1)", "clip_gradient_norm({p},1)",
    "clip_gradient({p},-1,1)", "flip_gradient({p},0.5)", "straight_through(round)({p})",
    "forward_backward(sign,tanh)({p})", "stop_gradient({p})+{q}", "{p}+{q}", "{p}-sum({p})*1e-4",
    "transpose(transpose({p}))", "py_func({p}*{p}+{q})+{p}", "onehot_argmax({p})+{p}",
    "sum(topk({p},3))*1e-4+{p}", "sum(logsumexp({p}))*1e-4+{p}", "sum(select({p},0))*1e-4+{p}",
    "onehot_sample({p}*{p},0.5)+{p}",
)  # fmt: skip
SQUARES = ("{p}@{p}*0.02", "{p}@transpose({q})*0.02")
RULES = ("clamp(grad, -0.1, 0.1)", "grad * 0.5", "grad * 0.99", "sin(grad)*0.5+tanh(grad)*0.5",
         "where(grad > 0, where(out1 > 0, grad, 0), 0)")  # fmt: skip


def heavy(chance: random.Random) -> Document:
    """One such program; most are accepted."""
    start, values = chance.choice(STARTS)
    noise = chance.random() < 0.4
    known = LINES + (SQUARES * 4 if values is _TALL else ())
    kinds = chance.sample(known, chance.choice((1, 1, 2, 4)))
    most = chance.choice((58, 120, MAX_OPS, MAX_OPS))
    first = f"a={start}" + ("*u" if noise else "")
    text, previous, before = first, "a", "a"
    ops = 4
    for place in range(MAX_OPS):
        name = f"b{place}"
        line = f"{name}={chance.choice(kinds).format(p=previous, q=before)}"
        ops += sum(line.count(sign) for sign in "*/+->@(") + 1
        if ops > most or len(text) + len(line) + 1 > MAX_CHARACTERS:
            break
        text += "\n" + line
        previous, before = name, previous
    overrides: tuple[Override, ...] = ()
    if chance.random() < 0.4:
        overrides = (Override(chance.choice(("mul", "add", "tanh", "pow")), chance.choice(RULES)),)
    shaped = Noise("normal", 1.0, 0.1, 3, chance.choice(("", "x")))
    if len(values) == 1024 and values is _COLUMN:
        shaped = Noise("normal", 1.0, 0.1, 3, "")
    return Document(
        (Input("x", values, low=-2.0, high=2.0), *((Input("u", noise=shaped),) if noise else ())),
        text,
        overrides=overrides,
        entry=chance.randint(1, 1024),
        intended=chance.choice(("", "a")),
        dtype=chance.choice(("float64", "float64", "float32", "bfloat16")),
    )
