"""Playground documents: one for each function; random ones, valid or hostile, from a seed."""

import random
import string
from typing import Any

import pytest

from lessons.playground.document.contents import Document, Input, Noise, Override
from lessons.playground.document.override_rules import RULES
from lessons.playground.language.functions import FUNCTIONS
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.outcome import Outcome, run

_SMOOTH = ("sin({})", "cos({})", "tanh({})", "sigmoid({})", "softplus({})", "square({})", "-{}",
           "sqrt(square({}) + 1)", "log(square({}) + 1)", "exp(tanh({}))", "{}**2", "{}**3",
           "2 * {}", "{} - 0.5", "1 / (square({}) + 2)", "{} / 3")  # fmt: skip
_PAIRS = ("{} + {}", "{} - {}", "{} * {}", "{} / (square({}) + 1)")
_WHOLE = ("softmax({})", "log_softmax({})", "{} * sum({})", "{} - mean({})", "{} * [0.5, -1, 2]",
          "{} - logsumexp({})", "{} * select({}, -1)",
          "[[1, 2, 0.5], [-1, 1, 0], [0.3, 2, 1]] @ {}")  # fmt: skip
_TRICKS = ("stop_gradient({})", "detach({})", "identity({})", "flip_gradient({}, 0.5)",
           "scale_gradient({}, 3)", "clip_gradient({}, -0.2, 0.3)", "clip_gradient_norm({}, 0.5)",
           "straight_through(round)({})", "forward_backward(sign, tanh)({})",
           "forward_backward(onehot_argmax, softmax)({})", "py_func({} * 2)")  # fmt: skip
_KINKS = ("{} * topk({}, 1)", "relu({})", "abs({})", "sign({})", "round({})", "floor({})",
          "step({})", "ceil({})", "maximum({}, {})", "minimum({}, 0.3)", "clamp({}, -0.5, 0.5)",
          "where({} > 0, {}, 2)", "where({} <= 0.1, 1, 0)", "onehot_argmax({})",
          "onehot_sample(softmax({}), 0.4)", "{} * sum(topk({}, 2))")  # fmt: skip


def valid(random_: random.Random, lines: int = 6, tricks: bool = False) -> Document:
    """A valid document over x and u, both of 3 entries; smooth, unless ``tricks``."""
    forms = _SMOOTH + _PAIRS + _WHOLE + ((_TRICKS * 2 + _KINKS) if tricks else ())
    names = ["x", "u"]
    program = []
    for place in range(random_.randint(1, lines)):
        text = _filled(random_, random_.choice(forms), names, forms, depth=2)
        names.append(f"v{place}")
        program.append(f"{names[-1]} = {text}")
    program.append(f"out = sum({names[-1]} * x + {random_.choice(names)})")
    x = tuple(round(random_.uniform(-1.5, 1.5), 3) for _ in range(3))
    u = tuple(round(random_.uniform(-1.5, 1.5), 3) for _ in range(3))
    overrides: tuple[Override, ...] = ()
    if tricks and random_.random() < 0.5:
        op, rule = random_.choice([
            ("add", "grad, grad"), ("mul", "grad"), ("relu", RULES["guided relu"][0]),
            ("identity", "clamp(grad, -0.1, 0.1)"), ("tanh", "grad * 0.5"), ("sqrt", "-grad"),
            ("square", "grad * 2 * in1"), ("py_func", "grad1"), ("Sub", "grad * 0.5, -grad"),
            ("softmax", "sign(grad)"), ("sin", "where(in1 > 0, 1, 0)"),
        ])  # fmt: skip
        overrides = (Override(op, rule),)
    return Document((Input("x", x), Input("u", u)), "\n".join(program), "out", overrides)


def ran(document: Document, **how: Any) -> Outcome:
    """Run it; skip the test where a rule does not fit its op, or a trick is within py_func."""
    try:
        return run(document, **how)
    except PlaygroundError as error:
        pytest.skip(str(error))


def _filled(
    random_: random.Random, form: str, names: list[str], forms: tuple[str, ...], depth: int
) -> str:
    while "{}" in form:
        inner = random_.choice(names)
        if depth and random_.random() < 0.3:
            inner = f"({_filled(random_, random_.choice(forms), names, forms, depth - 1)})"
        form = form.replace("{}", inner, 1)
    return form


_X, _U = (-2.5, -1.0, -0.3, 0.4, 1.0, 1.7), (1.2, -0.9, 0.6, 0.5, -1.5, 1.7)
_SOME = {
    "x": "x", "a": "x", "b": "v", "low": "-1", "high": "1", "condition": "x > u", "scale": "2",
    "factor": "u", "value": "2", "max_norm": "0.5", "axis": "0", "k": "2", "index": "-1", "p": "p",
    "u": "u",
}  # fmt: skip
_OF_ROWS = ("matmul", "transpose", "softmax", "log_softmax", "onehot_argmax", "logsumexp", "topk",
            "select")  # fmt: skip


def of_function(name: str) -> Document:
    """A program that calls one function, away from its corners."""
    function = FUNCTIONS[name]
    names = "a, b, c, d, e, f" if function.several else "y"
    given: tuple[Input, ...]
    given = (Input("x", _X), Input("u", _U), Input("v", tuple(one + 0.05 for one in _U)))
    if name in _OF_ROWS:
        given = (Input("x", ((1.0, 2.0), (3.0, -4.0))), Input("v", (0.5, -2.0)))
    elif name in ("sqrt", "log"):
        given = (Input("x", tuple(abs(one) for one in _X)),)
    elif name == "onehot_sample":
        weights = Input("p", ((0.0, 0.25, 0.5, 0.25), (0.125, 0.5, 0.375, 0.0)))
        given = (weights, Input("u", (0.25, 1.0)))
    called = ", ".join(_SOME[parameter.name] for parameter in function.parameters)
    return Document(given, f"{names} = {name}({called})")


HOSTILE = (
    "y = x.__class__.__bases__[0].__subclasses__()",
    "y = ().__class__", "y = __import__('os').system('id')", "import os", "from os import *",
    "y = eval('1')", "y = exec('1')", "y = open('/etc/passwd')", "y = getattr(x, 'data')",
    "y = [i for i in x]", "y = {i for i in x}", "y = (i for i in x)", "y = {1: 2}",
    "y = lambda: 0", "y = (lambda z: z)(x)", "(y := x)", "y = (y := 1)", "y = f'{x}'", "y = *x,",
    "y = sum(*x)", "y = sum(**x)", "y = x if x else x", "y = x[0]", "y = x[::2]", "y = not x",
    "y = x and x or x", "y = 9**9**9**9", "y = x**1e99", "y = 10**400", "y = 1e400", "y = -1e400",
    "y = 1j", "y = 0x7fffffffffffffff", "y = 0b1", "y = 1_000", "y = 007", "y = 1e", "y = 1.2.3",
    "y = 'a' * 999999999", 'y = "a"', "y = b'a'", "y = None", "y = True", "y = ...", "y = x; z = x",
    "for i in x: pass", "while 1: pass", "def f(): return f()", "class A: pass", "del x",
    "global x", "return x", "yield x", "await x", "async def f(): pass", "raise x", "assert 0",
    "with x: pass", "try:\n  pass\nexcept: pass", "match x:\n case _: pass", "@x\ndef f(): 0",
    "y: int = 3", "y += 1", "y @= x", "x = y = x", "x, y = x", "[a, b] = x", "(a) = x", "x.y = 1",
    "x[0] = 1", "f(x) = 1", "1 = x", "y == x", "y = x = = x", "y = x – 1", "y = x × 2", "y = x²",
    "y = ｘ", "y = хx", "y = “x”", "y = x ÷ 2", "y = √x", "y\u00a0= x", "y = x\u200b", "y = x\x00",
    "y = \ud800", "y = x\r", "y = x\x0c", "y = x\\\n+ 1", "\ty = x", " y = x", "y = x #\x00",
    "y = " + "(" * 500 + "x" + ")" * 500, "y = " + "-" * 3000 + "x", "y = " + "+-" * 1500 + "x",
    "y = " + "x**" * 900 + "x", "y = " + "x+" * 1500 + "x", "y = " + "sin(" * 200 + "x",
    "y = " + "[" * 300 + "1" + "]" * 300, "y = " + "not " * 500 + "x", "y = x" + "." * 500,
    "y = " + "lambda:" * 300 + "0", "y = " + "9" * 3900, "y = 1." + "0" * 3900, "y" * 3000 + " = x",
    "y = " + "x if x else " * 300 + "x", "y = " + "await " * 300 + "x", "y = " + "x<" * 900 + "x",
    "y = [" + "1," * 1900 + "]", "\n" * 3990, "#" * 3990, "y=x\n" * 900, "y = x" + "\n#\n" * 900,
    "y = x" * 5000, "y = matmul(x, x) @ [[1]]", "y = x @ u @ x @ u", "y = unbind(x)",
    "a, b = unbind(x)", "a, b = py_func(x)", "y = py_func(py_func(x))", "y = py_func()",
    "y = straight_through(x)(x)", "y = straight_through(sum, sum)(x)", "y = straight_through(x)",
    "y = forward_backward(sign)(x)", "y = forward_backward(unbind, sum)(x)", "y = sqrt",
    "y = forward_backward(sum, tanh)(x)", "y = straight_through(transpose)(x)", "y = transpose(x)",
    "y = clamp(x, 1, -1)", "y = clip_gradient(x, 1, -1)", "y = clip_gradient_norm(x, -1)",
    "y = flip_gradient(x, [[1, 2], [3, 4]])", "y = sum(x, 2)", "y = sum(x, -1, 3)", "y = x / 0",
    "y = where(x, x, x)", "y = where(x > 0, x > 0, 1)", "y = (x > 0) + 1", "y = x > 0", "y = 3",
    "y = exp(exp(exp(exp(x * 99))))", "y = log(-x) / 0 * x", "y = maximum([1, 2], x)", "x = 1",
    "sum = x", "torch = x", "rule_1 = x", "y = print(x)", "y = torch.sqrt(x)", "y = tf.sqrt(x)",
    "y = x()", "y = sqrt(x)(x)", "y = (sqrt)(x)", "y = sqrt((x, x))", "y = sqrt(y=x)", "y = sqrt()",
    "y = topk(x, 4)", "y = topk(x, 0)", "y = topk(x, x)", "y = topk(1, 1)", "y = topk(x, 1e99)",
    "y = select(x, 3)", "y = select(x, -4)", "y = select(sum(x), 0)", "y = logsumexp(2)",
    "y = onehot_sample(x, x)", "y = onehot_sample([x], 1)", "y = onehot_sample([[1, 2]], x)",
    "y = onehot_sample(1, x)", "y = straight_through(logsumexp)(x)",
    "y = softmax(1)", "y = onehot_argmax(2)", "y = [x, x]", "y = []", "y = [[]]", "y = [1, [2]]",
    "y = [[1, 2], [3]]", "y = [[[1]]]", "y = [--1]", "y = [1 + 1]", "y = -[1, 2, 3]", "y = 2**-64",
    "\n".join(f"v{i} = {'x' if not i else f'v{i - 1} * v{i - 1} @ [[1]]'}" for i in range(150)),
    "\n".join(["a0 = matmul([[1],[2],[3]], [[1,2,3]])"] + [f"a{i} = a{i-1} @ a{i-1}" for i in
                                                             range(1, 120)]),
)  # fmt: skip
HOSTILE_RULES = (
    "grad.data", "grad[0]", "lambda op, g: g", "__import__('os')", "grad if 1 else 0", "grad, grad",
    "None", "None, None, None", "in9", "out9", "grad9", "op.inputs[0]", "grad = 2", "grad\ngrad",
    "", " ", "#", "x", "1e400", "9**9**9", "grad – 1", "[1, 2, 3]", "[[1]]", "sum(grad)",
    "grad > 0",
    "grad @ grad", "stop_gradient(grad)", "py_func(grad)", "unbind(grad)", "(grad, (grad, grad))",
    "(" * 90 + "grad" + ")" * 90, "-" * 300 + "grad", "grad" * 400, "*grad", "grad,", "f'{grad}'",
    "grad / 0", "exp(grad * 1e9)", "transpose(grad)", "where(grad > 0, 1, 0)", "0", "out1 - in1",
)  # fmt: skip
_ALPHABET = string.printable + "–×÷²“”ｘхλ√\u00a0\u200b\x00\ud800≤→"
_TOKENS = (
    *FUNCTIONS, "x", "u", "y", "z", "(", ")", "[", "]", ",", "=", "+", "-", "*", "/", "**", "@",
    "<", ">", "==", "1", "2", "0.5", "1e-3", "\n", "\ny = ", ".", ":", "lambda", "if", "in", "None",
    "straight_through(sign)", "py_func", "__class__", "'", "for", "not", "{", "}", ";", "%", "//",
)  # fmt: skip


def wild(random_: random.Random) -> Document:
    """A document that may be anything a visitor sends."""
    document = valid(random_, tricks=True)
    kind = random_.randrange(8)
    program = document.program
    if kind == 1:
        program = random_.choice(HOSTILE)
    elif kind == 2:
        program = "y = " + " ".join(random_.choices(_TOKENS, k=random_.randint(1, 30)))
    elif kind in (3, 4):
        program = mutated(random_, program, random_.randint(1, 4))
    elif kind == 5:
        lines = program.split("\n")
        lines.insert(random_.randrange(len(lines)), random_.choice(HOSTILE))
        program = "\n".join(lines)
    overrides = document.overrides
    if random_.random() < 0.3:
        rule = random_.choice(
            (*HOSTILE_RULES, *(text for text, _ in RULES.values()), "grad * in2, None")
        )
        if random_.random() < 0.3:
            rule = mutated(random_, rule, 2)
        op = random_.choice(["mul", "add", "Mul", "sqrt", "relu", "py_func", "Matmul", "", "sum"])
        only = random_.choice([(), (), ("v0",), ("nobody",)])
        overrides = (*overrides, Override(op, rule, only))
    inputs = document.inputs
    if random_.random() < 0.15:
        one = random_.choice([
            Input("x", 1.0), Input("u", noise=Noise("uniform", 0, 1, 3, "x")), Input("x", ()),
            Input("u", noise=Noise("normal", 0, -1)), Input("u", ((1.0, 2.0), (3.0,))),
            Input("x.y", 1.0), Input("u", noise=Noise("uniform", 0, float("nan"), 0, "u")),
            Input("u", (float("inf"), 1.0, 2.0)), Input("sum", 1.0), Input("u", (0.0,) * 2000),
            Input("х", 1.0), Input("", 1.0), Input("u", None), Input("x", ((1.0, 2.0, 3.0),) * 3),
            Input("x", 1.0, low=3, high=1),
        ])  # fmt: skip
        inputs = tuple(one if old.name == one.name else old for old in inputs)
        inputs = inputs if one in inputs else (*inputs, one)
    return Document(
        inputs,
        program,
        random_.choice(["out"] * 16 + ["", "", "y", "x", "nobody"]),
        overrides,
        *random_.choice([("", 1)] * 40 + [("u", 2), ("q", 1), ("x", 99)]),
        random_.choice([""] * 20 + ["v0", "out", "q"]),
        random_.choice(["float64"] * 30 + ["float32", "bfloat16", "int8", ""]),
    )  # fmt: skip


def mutated(random_: random.Random, text: str, times: int) -> str:
    """The text with characters taken out, put in or doubled."""
    for _ in range(times):
        place = random_.randrange(len(text) + 1)
        cut = random_.choice([0, 0, 1, random_.randrange(6)])
        extra = random_.choice(["", random_.choice(_ALPHABET), random_.choice(_TOKENS)])
        text = text[:place] + extra + text[place + cut :]
    return text
