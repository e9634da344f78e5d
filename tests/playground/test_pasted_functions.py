"""Every function of torch that pasted code may call, with each of its arguments: torch's own value
and gradient, or a refusal or a note with its line.
"""

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch.nn import functional

from lessons.playground.document.contents import Document, Input
from lessons.playground.document.input_text import read_values
from lessons.playground.language.pasted import Pasted, pasted
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.spellings import NUMBERS, TABLE
from lessons.playground.running.outcome import run
from tests.playground.said import said

X, T = [0.3, -1.7, 2.5], [0.2, 0.7, 0.1]
POSITIVE = [0.3, 0.9, 0.6]
SPECIAL = dict.fromkeys(("sqrt", "log", "rsqrt", "log1p", "binary_cross_entropy"), (POSITIVE, T))
"""Operands of functions that are not defined everywhere."""

OURS = {
    *("step", "onehot_argmax", "onehot_sample", "identity", "stop_gradient", "flip_gradient"),
    *("scale_gradient", "clip_gradient", "clip_gradient_norm", "gradient_reversal", "Variable"),
    "Parameter",
}
"""Names that are none of torch's functions."""

COMPARISONS = ("gt", "greater", "ge", "greater_equal", "lt", "less", "le", "less_equal", "eq",
               "ne", "not_equal")  # fmt: skip
BUILT_IN = {
    **dict.fromkeys(("softmax", "log_softmax"), "input dim dtype"),
    **dict.fromkeys(("sum", "mean", "logsumexp"), "input dim keepdim"),
    "round": "input decimals",
    "topk": "input k dim largest sorted",
    "select": "input dim index",
    "clamp": "input min max",
    **dict.fromkeys(("add", "sub", "subtract"), "input other alpha"),
    **dict.fromkeys(("div", "divide", "true_divide"), "input other rounding_mode"),
    **dict.fromkeys(("pow", "power"), "input exponent"),
    **dict.fromkeys(COMPARISONS, "input other"),
    **dict.fromkeys(("mul", "multiply", "maximum", "minimum", "matmul"), "input other"),
    "where": "condition input other",
    "masked_fill": "input mask value",
    "transpose": "input dim0 dim1",
    "unbind": "input dim",
    "norm": "input p dim keepdim",
    "tensor": "data",
    "cosine_similarity": "x1 x2 dim eps",
    "softplus": "input beta threshold",
    "logsigmoid": "input",
    "gelu": "input approximate",
    "clamp_min": "input min",
    "clamp_max": "input max",
}
"""Signatures that Python cannot read off torch; of the others, the parameters of functional."""

OPERANDS = {"input": "x", "target": "t", "other": "t", "x1": "x", "x2": "t", "data": "x",
            "condition": "x > t", "mask": "x > t", "value": "2",
            "exponent": "2", "x": "x", "self": "x", "k": "2"}  # fmt: skip
VALUES = {
    "weight": ["t", "None"],
    "pos_weight": ["t"],
    "size_average": ["False", "None"],
    "reduce": ["False", "None"],
    "reduction": ["'mean'", "'sum'", "'none'", "'batchmean'"],
    "beta": ["0.5", "1.0"],
    "delta": ["0.5", "2.0"],
    "log_target": ["True", "False"],
    "ignore_index": ["1", "-100"],
    "label_smoothing": ["0.1", "0.0"],
    "p": ["1", "2", "2.0", "'fro'", "3.0"],
    "dim": ["0", "-1", "1"],
    "dim0": ["0"],
    "dim1": ["0"],
    "index": ["1"],
    "keepdim": ["True", "False"],
    "eps": ["0.5", "1e-12"],
    "inplace": ["False", "True"],
    "threshold": ["20", "1"],
    "approximate": ["'none'", "'tanh'"],
    "negative_slope": ["0.2"],
    "alpha": ["0.5", "1"],
    "decimals": ["0", "1"],
    "rounding_mode": ["None", "'floor'", "'trunc'"],
    "min": ["-0.5", "None"],
    "max": ["0.5"],
    "min_val": ["-0.3", "0.0"],
    "max_val": ["2.5"],
    "largest": ["False", "True"],
    "sorted": ["True"],
    "dtype": ["torch.float64"],
    "out": ["x", "None"],
    "_stacklevel": ["3"],
}
"""What each parameter is given; every parameter of a signature needs a row."""


def names() -> list[str]:
    """All names of functions that the reader knows."""
    known = {*TABLE} - OURS
    return sorted(name for name in known if hasattr(torch.Tensor, name) or _home(name))


def _home(name: str) -> str:
    return next(
        (home for home, of in (("F", functional), ("torch", torch)) if hasattr(of, name)), ""
    )


def parameters(name: str) -> list[str]:
    """The parameters that torch has, in order."""
    if name in BUILT_IN:
        return BUILT_IN[name].split()
    function = getattr(functional, name, None)
    try:
        return [*inspect.signature(function).parameters]  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ["input"]


def calls(name: str) -> Iterator[str]:
    """Calls with each value of each argument, by name and by place, and as a method."""
    if name in COMPARISONS:  # as numbers, since a program's output is no comparison
        yield from (f"{call}.double()" for call in (f"torch.{name}(x, t)", f"x.{name}(0.3)"))
        return
    all_ = parameters(name)
    operands = [one for one in all_ if one in OPERANDS]
    given = ", ".join(OPERANDS[one] for one in operands)
    home = _home(name)
    if home:
        yield f"{home}.{name}({given})"
    if hasattr(torch.Tensor, name) and operands[0] == "input":
        yield f"x.{name}({given.partition(', ')[2]})"
    settings = [one for one in all_ if one not in OPERANDS]
    for place, setting in enumerate(settings):
        for value in VALUES[setting]:
            before = [VALUES[one][-1] for one in settings[:place]]
            by_place = ", ".join([given, *before, value])
            for written in (f"{given}, {setting}={value}", by_place):
                if home:
                    yield f"{home}.{name}({written})"
                if hasattr(torch.Tensor, name) and operands[0] == "input":
                    yield f"x.{name}({written.partition(', ')[2]})"


def by_torch(call: str, x: list[float], t: list[float]) -> tuple[Any, Any] | None:
    """Torch's value and gradient with respect to x; None where torch refuses the call."""
    leaf = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    target = torch.tensor(t, dtype=torch.float64)
    try:
        made = eval(call, {"torch": torch, "F": functional, "x": leaf, "t": target})
        made = made[0] if isinstance(made, tuple) and not isinstance(made, torch.Tensor) else made
        made = torch.as_tensor(made)
        if not made.requires_grad:
            return made.detach().double(), torch.zeros(len(x), dtype=torch.float64)
        return made.detach(), torch.autograd.grad(made.sum(), leaf)[0]
    except (RuntimeError, TypeError, IndexError, ValueError):
        return None


def read_or_refused(text: str) -> Pasted | None:
    try:
        return pasted(text, ["x", "t"])
    except PlaygroundError:
        return None


def by_reader(read: Pasted, x: list[float], t: list[float]) -> tuple[Any, Any]:
    inputs = tuple(Input(name, tuple({"x": x, "t": t}[name])) for name in read.inputs)
    outcome = run(Document(inputs, read.program), curves=False)
    gradient = outcome.gradients["trick_gradient"]["x"]
    value = torch.as_tensor(outcome.values[outcome.output])
    return value, torch.zeros(len(x), dtype=torch.float64) if gradient is None else gradient


LIMITS = said("logarithm_limited"), said("norm_at_0")
"""Notes on single points; elsewhere the numbers are torch's."""


@pytest.mark.filterwarnings("ignore")  # torch warns of old arguments
@pytest.mark.parametrize("name", names())
def test_a_call_has_torchs_numbers_or_its_line_is_named(name: str) -> None:
    x, t = SPECIAL.get(name, (X, T))
    compared = 0
    for call in dict.fromkeys(calls(name)):
        read = read_or_refused(f"import torch\nz = {call}\n")
        if read is None or any(
            note.startswith("Line 2 ") and note not in LIMITS
            for note in (*read.notes, *read.invented.values())
        ):
            continue  # refused, with line and column; or noted
        assert {*read.inputs} <= {"x", "t"}, (call, read)
        wanted = by_torch(call, x, t)
        if wanted is None:
            continue  # torch has no number for it: an axis that a list has not, a leaf in place
        value, gradient = by_reader(read, x, t)
        torch.testing.assert_close(value.flatten(), wanted[0].flatten(), msg=f"{call}: {read}")
        torch.testing.assert_close(gradient.flatten(), wanted[1].flatten(), msg=f"{call}: {read}")
        compared += 1
    assert compared or name in (
        "select",
        "transpose",
        "unbind",
        "gelu",
        "item",
        "numpy",
        "full_like",
    )


def test_every_name_is_one_of_torchs_or_known_to_be_ours() -> None:
    known = {*TABLE} - OURS
    assert known - {*names()} == {"power"}
    assert not OURS & {*names()}
    assert {*NUMBERS} == {f"{of}{how}" for of in ("ones", "zeros") for how in ("", "_like")} | {
        "new_ones",
        "new_zeros",
    }


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("torch.mul(x, 1) / torch.add(1, t, alpha=1)", "x * 1 / (1 + t)"),
        ("F.leaky_relu(t, negative_slope=x)", "torch.where(t > 0, t, x * t)"),
        ("F.elu(t, x)", "torch.where(t > 0, t, x * torch.exp(torch.clamp(t, -1e+30, 0)) - x)"),
        ("F.softplus(t, beta=x + 2)", "torch.nn.functional.softplus((x + 2) * t) / (x + 2)"),
    ],
)
def test_a_setting_may_read_a_name_that_the_text_has_for_an_operand(
    call: str, written: str
) -> None:
    read = pasted(f"import torch\nz = {call}\n", ["x", "t"])
    assert read is not None
    assert read.program == f"z = {written}"


MODULES = {
    "nn.LeakyReLU(0.2)(x)", "nn.LeakyReLU(negative_slope=0.2, inplace=True)(x)", "nn.ELU(0.5)(x)",
    "nn.GELU('tanh')(x)", "nn.Softplus(2)(x)", "nn.Softplus(beta=2, threshold=1)(x)",
    "nn.MSELoss(reduction='sum')(x, t)", "nn.HuberLoss('sum', 2.0)(x, t)",
    "nn.SmoothL1Loss(beta=0.5)(x, t)", "nn.KLDivLoss(reduction='sum', log_target=True)(x, t)",
    "nn.CrossEntropyLoss(label_smoothing=0.1)(x, t)", "nn.CosineSimilarity(dim=0, eps=0.9)(x, t)",
    "nn.BCEWithLogitsLoss(pos_weight=t)(x, t)", "nn.Softmax(dim=0)(x)", "nn.ReLU(False)(x)",
}  # fmt: skip


@pytest.mark.parametrize("call", sorted(MODULES))
@pytest.mark.parametrize("kept", [False, True], ids=["at once", "kept"])
def test_a_module_keeps_its_settings(call: str, kept: bool) -> None:
    made, _, rest = call.partition(")(")
    text = f"f = {made})\nz = f({rest}\n" if kept else f"z = {call}\n"
    read = read_or_refused(f"import torch.nn as nn\n{text}")
    if read is None or any(
        note.startswith("Line ") for note in (*read.notes, *read.invented.values())
    ):
        return
    wanted = by_torch(call.replace("nn.", "torch.nn.").replace(", inplace=True", ""), X, T)
    assert wanted, call
    value, gradient = by_reader(read, X, T)
    torch.testing.assert_close(value.flatten(), wanted[0].flatten(), msg=f"{call}: {read}")
    torch.testing.assert_close(gradient.flatten(), wanted[1].flatten(), msg=f"{call}: {read}")


MASKED = """
import torch

class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lo, hi):
        ctx.save_for_backward(x)
        ctx.lo, ctx.hi = lo, hi
        ctx.inside = (x >= lo) & (x <= hi)
        return {value}

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        grad = g.clone()
        {backward}

x = torch.tensor({x}, dtype=torch.float64, requires_grad=True)
loss = (Own.apply(x, -1.0, 1.0) ** 2).sum()
loss.backward()
"""
BACKWARDS = [
    "return g * (x > ctx.lo), None, None",
    "return (x > -1.0) * g / 2, None, None",
    "return 2 * g * (x > ctx.lo) * (x < ctx.hi), None, None",
    "return g * ((x > ctx.lo) & (x < ctx.hi)).type_as(g), None, None",
    "return g * ctx.inside, None, None",
    "return -g * ~ctx.inside, None, None",
    "return g * ((x < ctx.lo) | x.gt(1)).float(), None, None",
    "return g * torch.logical_and(x.abs() <= 1, torch.logical_not(x < 0)), None, None",
    "return g.masked_fill(x.abs() > 1, 0), None, None",
    "return torch.where(ctx.inside, g, torch.zeros_like(g)), None, None",
    "return torch.where(x > 0, g.clamp(-1, 1), -0.5 * g), None, None",
    "return g.where(x > 0, 0.0), None, None",
    "grad[x.abs() > 1] = 0\n        return grad, None, None",
    "grad[x < ctx.lo] = 0\n        grad[x > ctx.hi] = 0\n        return grad, None, None",
    "grad[x < 0] *= 0.5\n        return grad, None, None",
    "mask = x > 0\n        grad[~mask] = -grad[~mask] / 3\n        return grad, None, None",
    "grad = torch.ones_like(g)\n        grad[x > 1] = 0\n        return g * grad, None, None",
    "grad.masked_fill_(~ctx.inside, 0.0)\n        return grad.mul_(2), None, None",
    "grad *= x > 0\n        grad = grad.clamp_(-1, 1)\n        return grad, None, None",
    "return (g.clone() if ctx.needs_input_grad[0] else None), None, None",
    "return g.clamp(min=0.1) / torch.add(1, x.abs(), alpha=5), None, None",
    "h = torch.nn.functional.hardtanh(x, max_val=0.5)\n"
    "        return g * torch.exp(x.clamp(max=0.5)) * h, None, None",
    "return g * (x * 1.5).to(torch.int32), None, None",
    "return g * torch.ones_like(x).sum() * torch.sub(1, x, alpha=0.5), None, None",
    "return None if g is None or not ctx.needs_input_grad[0] else -g, None, None",
    "a = b = c = None\n        if ctx.needs_input_grad[0]:\n            a = g * (x > 0)\n"
    "        return a, b, c",
    "if not ctx.needs_input_grad[0]:\n            return None, None, None\n"
    "        x = ctx.saved_tensors[0]\n        return g * (x > 0), None, None",
]
"""What backward does, as people write it for a function that clips."""


SCRIPTS = {
    "reversal": """
import torch

class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.neg() * ctx.scale, None

def reverse(x, scale=1.0):
    return Reverse.apply(x, scale)

x = torch.tensor({x}, dtype=torch.float64, requires_grad=True)
w = torch.tensor([0.5]).double()
loss = -torch.log(torch.sigmoid((w * reverse(x, 0.3)).sum()))
loss.backward()
""",
    "own relu": """
import torch

class Leak(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        return torch.nn.functional.hardtanh(0.1 * g)

relu = Leak.apply
x = torch.tensor({x}, dtype=torch.float64, requires_grad=True)
loss = (relu(x) * x).sum()
loss.backward()
""",
    "leaves": """
import torch
double = torch.float64
data, w = torch.tensor({x}, dtype=double), torch.zeros(40, dtype=double, requires_grad=True)
x = data.clone().requires_grad_()
loss = ((x * data + torch.exp(w) - x) ** 2).mean()
loss.backward()
""",
    "masks": """
import torch
x = torch.tensor({x}, dtype=torch.float64, requires_grad=True)
near = (x > -1) & ~(x > 1)
y = (x * near).masked_fill(x.lt(-2) | (x == 0), 0.5) / 2
y = y + near.float() * x
y[x > 2] *= 3
with torch.no_grad():
    far = x.abs() >= 1.5
loss = (torch.where(far, y, x) + (x < 0) * x ** 2).sum()
loss.backward()
""",
}

LINE = """
import torch
import torch as th
import torch.nn.functional as F
from torch import nn
from torch.nn import functional
from torch.autograd import Variable

x = torch.tensor([0.3, -1.7, 2.5], dtype=torch.float64, requires_grad=True)
m = torch.tensor([[1.0, 2.0], [3.0, -5.0]], dtype=torch.float64, requires_grad=True)
{line}
loss.sum().backward()
"""
LINES = [
    "loss = th.exp(x) + functional.softplus(x).mean() + m.sum()",
    "w = Variable(x.data)\nloss = w * x + m.sum()",
    "near = torch.ones(3, dtype=x.dtype)\nloss = (x * near).sum() / near.sum() + m.mean()",
    "loss = torch.ones_like(x) * x.sum() + torch.zeros(3) + m.mean()",
    "loss = m @ m.t() + (m.T * m).sum(dim=1) + x.t().sum()",
    "loss = (torch.softmax(m, dim=1) * m).sum(1) + m.norm() + F.softmax(x, dim=0).sum()",
    "loss = x * (x * 1.7).to(torch.int64) + (x * 1.7).type(torch.LongTensor) * x + m.sum()",
    "loss = (x * 1.7).type(torch.bool) * x + x.to(dtype=torch.int64) + m.sum()",
    "loss = nn.Parameter(x * 2) * x + m.sum()",
    "loss = F.hardtanh(x, 0, 1) + F.kl_div(x, 1 - torch.ones(3), reduction='sum') + m.sum()",
    "y = x * 2\ny.sub_(x).add_(1)\nF.relu_(y)\nloss = y * x + m.sum()",
    "def double(z):\n    z *= 2\n    return z\n\nloss = double(x * 1).exp_() + m.sum()",
    "@torch.no_grad()\ndef double(z):\n    return z * 2\n\nloss = x * double(x) + m.sum()",
    "with torch.set_grad_enabled(False):\n    y = x * 2\nloss = x * y + m.sum()",
    "torch.set_grad_enabled(False)\ny = x * 2\ntorch.set_grad_enabled(True)\ny.retain_grad = 1\n"
    "loss = x * y + m.sum()",
    "from contextlib import nullcontext\nwith nullcontext(), torch.no_grad():\n    y = x * 2\n"
    "    with torch.enable_grad():\n        z = x * 3\nloss = x * y * z + m.sum()",
    "loss = x.masked_fill(x > 0, float('-inf')).exp() + m.sum()",
    "c = torch.tensor(0.3, dtype=torch.float64)\nloss = torch.clamp(x, -c, c) + m.sum()",
    "loss = torch.clamp(x, x * x, 2 + x * x) * x.clamp(x + 2, x.exp()) + m.sum()",
    "loss = x * float(x.abs().mean()) + x.float() + m.sum()",
    "def f(z, k=None):\n    return z**2 if k is None else z * k\n\nloss = f(x) * f(x, m.sum())",
    "y = x - x\nloss = F.normalize(y, dim=0) + F.cosine_similarity(y, x, 0) + m.sum()",
    "y = x * 2\nF.relu(y, inplace=True)\nloss = y * x + m.sum()\ndel y",
    "loss = x * ((x > 0) + (x < 9) + (x < 8)) + m.sum()",
    "y = x - x\nloss = y / y.norm() + m.sum()",
    "y = z = x * 2\nloss = y * z + m.sum()",
    "loss = x * m.sum()\nfar = (x.detach() * m.sum()).abs().mean()\nbest = x.clone()",
]
"""Lines that are read: what they compute is torch's to the last digits."""
WARNED = [
    "loss = torch.exp(-((x[:, None] - x[None, :]) ** 2)).sum()",
    "loss = (x.unsqueeze(1) * x).sum()", "loss = x.view(-1, 1) * x.view(1, -1)",
    "loss = x.expand(3, 3)", "loss = x.sum(0, keepdim=True).expand_as(x)",
    "loss = x[None].mean(0)", "loss = m / m.sum(-1, keepdim=True)", "loss = F.normalize(m)",
    "loss = m.norm(dim=1)", "loss = F.cosine_similarity(m, m)", "loss = m.view(-1).softmax(0)",
    "loss = m.permute(1, 0) * m", "a, b = m.unbind(1)\nloss = a * b",
    "loss = F.kl_div(m, m * m, reduction='batchmean')", "loss = x.transpose(-1, -2) * x",
    "y = x * 2\nz = y\nz += 1\nloss = y * z",
    "y = x * 2\nz = y.detach()\nz[z > 0] = 0\nloss = y * z",
    "y = x * 2\n_ = y.clamp_(0, 1)\nloss = y",
    "y = x * 2\nz = F.relu(y, inplace=True)\nloss = y + z",
    "y = x - 1\nz = nn.ReLU(inplace=True)(y)\nloss = y + z",
    "def double(z):\n    z *= 2\n    return z\n\ny = x * 2\nloss = double(y) * y",
    "y = x * 2\ny.data = y.data.round()\nloss = y * x", "y = x * 2\ny.data *= 3\nloss = y * x",
    "def f(z, log=False):\n    return z.exp() if log else z\n\nloss = f(x)",
    "y = x.exp()\ny += 1\nloss = y", "loss = x.sigmoid().mul_(2)", "loss = (x * 1).relu_().add_(1)",
    "y = x.softmax(0)\nz = y.view(-1)\nz[x > 0] = 0\nloss = z", "x += 1\nloss = x",
    "h = x.register_hook(lambda g: -g)\nloss = x * x",
    "with torch.set_grad_enabled(x.ndim > 3):\n    y = x * 2\nloss = x * y",
    "@decorated\ndef double(z):\n    return z * 2\n\nloss = double(x)",
    "loss = (x * m).sum()\nloss.backward(retain_graph=True)",
]  # fmt: skip
"""Lines with a warning: of what stands in their place, the numbers are others than torch's."""


def read_line(line: str) -> Pasted:
    read = pasted(LINE.format(line=line), [])
    assert read is not None
    return read


def test_a_number_format_of_few_bits_is_noted() -> None:
    (note,) = read_line("loss = x * x.to(torch.int8)").notes
    assert said("of_your_code few_bits", "int8") == note


@pytest.mark.parametrize("line", WARNED)
def test_a_line_of_which_the_numbers_may_differ_is_named(line: str) -> None:
    assert any(said("of_your_code") == one for one in read_line(line).warnings)


MODULE = """
from torch import nn
A, B = 0.5, 2.0
C: float = 2**3 - 1

class Other(nn.Module):
    def __init__(self, gamma=3.0):
        super().__init__()
        self.gamma = gamma

class Own(nn.Module):
    at = 0.25

    def __init__(self, bits=4, kind="a", gamma=1 / 3):
        super().__init__()
        {}

    def forward(self, x):
        return x * {} * A + B / C

class Last:
    def __init__(self, gamma=7.0):
        self.gamma = gamma
"""
SETTINGS = [
    ("self.gamma: float = gamma", "self.gamma"),
    ("self.levels = 2**bits - 1", "self.levels / self.at"),
    ("self.a, self.b = 0.5, 2.0", "self.a * self.b"),
    ("self.register_buffer('bound', torch.tensor(0.25))", "self.bound"),
    ("self.u = nn.Parameter(torch.tensor([0.1, 0.2, 0.3]))", "self.u"),
    (
        "if kind == 'a':\n            self.s = 2.0\n        else:\n            self.s = 3.0",
        "self.s",
    ),
    ("self.gamma = gamma\n        self.gamma = self.gamma * 2", "self.gamma"),
    ("half = gamma / 2\n        self.half = half", "self.half"),
]
"""What __init__ says of the names on self, and what forward reads."""


@pytest.mark.parametrize(("line", "setting"), SETTINGS)
def test_a_setting_has_the_number_that_the_code_gives(line: str, setting: str) -> None:
    read = pasted(code := MODULE.format(line, setting), ["x", "u"])
    assert read is not None
    assert (read.warnings, read.invented) == ((), {})
    values = {name: read_values(one) if one else tuple(X) for name, one in read.inputs.items()}
    inputs = tuple(Input(name, one) for name, one in values.items())
    found = run(Document(inputs, read.program, output=read.output), curves=False)
    there: dict[str, Any] = {"torch": torch}
    exec(code, there)
    wanted = there["Own"]()(torch.tensor(X, dtype=torch.float64))
    torch.testing.assert_close(found.values[read.output], wanted.detach(), check_dtype=False)


def test_a_setting_that_is_not_read_is_named() -> None:
    read = pasted(MODULE.format("self.w = max(bits, gamma)", "self.w"), ["x"])
    assert read is not None
    assert said("of_your_code unread_input", "max(bits, gamma)") == read.warnings[0]


@pytest.mark.filterwarnings("ignore")  # torch warns of float(x)
@pytest.mark.parametrize(
    "code",
    [
        *(MASKED.replace("{backward}", one).replace("{value}", value)
          for one in BACKWARDS for value in ("x.round()", "x", "torch.clamp(x, lo, hi)")),
        *SCRIPTS.values(),
        *(LINE.replace("{line}", one) for one in LINES),
    ],
)  # fmt: skip
def test_a_script_has_torchs_numbers(code: str) -> None:
    x = 2 * torch.randn(40, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    code = code.replace("{x}", str(x.tolist()))
    read = pasted(code, [])
    assert read is not None
    there: dict[str, Any] = {}
    exec(code, there)
    tensors = {name: one for name, one in there.items() if torch.is_tensor(one) and one.is_leaf}
    leaves = {name for name, one in tensors.items() if one.requires_grad}
    assert (read.warnings, {*read.inputs}) == ((), leaves)
    inputs = tuple(Input(name, read_values(read.inputs[name])) for name in leaves)
    outcome = run(Document(inputs, read.program, output=read.output), curves=False)
    torch.testing.assert_close(outcome.values["loss"], there["loss"].detach(), equal_nan=True)
    for name in leaves:
        found = outcome.gradients["trick_gradient"][name]
        torch.testing.assert_close(found, tensors[name].grad, equal_nan=True)


@pytest.mark.parametrize(
    "backward",
    [
        "g[x > 0] = 0\n        return g, None, None",  # which others may read, too
        "grad = g.detach()\n        grad[x > 0] = 0\n        return grad, None, None",
        "grad[0] = 0\n        return grad, None, None",
        "grad[x > 0] = 1\n        return grad, None, None",
        "return torch.where(x > 0, g.clamp(0.5, 1), g), None, None",
        "return torch.div(g, 0.3, rounding_mode='floor'), None, None",
        "return (g if ctx.inside is None else g * ctx.inside), None, None",
        "if ctx.needs_input_grad[0] and ctx.lo > 0:\n            g = -g\n"
        "        return g, None, None",
        "return g.expand_as(x), None, None",
        "return g.unsqueeze(0), None, None",
    ],
)
def test_a_backward_that_is_no_factor_of_the_gradient_is_named(backward: str) -> None:
    read = pasted(MASKED.format(value="x.round()", backward=backward, x=X), [])
    assert read is not None
    (note,) = read.warnings
    assert said("of_your_code unread_backward", "Own") == note


@pytest.mark.parametrize("value", ["(x * 2).sum()", "x @ x", "ctx.lo"])
def test_a_function_whose_value_has_another_shape_is_named(value: str) -> None:
    code = MASKED.format(value=value, backward="return g * x, None, None", x=X)
    read = pasted(code, [])
    assert read is not None
    assert said("unread_backward", value) == read.warnings[0]


@pytest.mark.parametrize(
    ("kept", "factor", "readable"),
    [
        ("ctx.far = x * 2", "ctx.far", True),
        ("ctx.both = (lo, x)", "ctx.both[1]", True),
        ("far = x * 2\n        ctx.far = far", "ctx.far", True),
        ("far = x * 2\n        ctx.far = far\n        far = 0", "ctx.far", False),
        ("far = x * 2\n        ctx.far = far + 1\n        lo = far", "ctx.lo", False),
        ("far = x * 2\n        ctx.far = far + 1\n        lo = far", "ctx.hi", True),
    ],
)
def test_what_backward_reads_is_what_forward_kept(kept: str, factor: str, readable: bool) -> None:
    code = MASKED.replace("{value}", "x + lo").replace("{x}", str(X))
    code = code.replace("ctx.inside = (x >= lo) & (x <= hi)", kept)
    code = code.replace("{backward}", f"return g * {factor}, None, None")
    read = pasted(code, [])
    assert read is not None
    there: dict[str, Any] = {}
    exec(code, there)
    inputs = (Input("x", tuple(X)),)
    outcome = run(Document(inputs, read.program, output=read.output), curves=False)
    torch.testing.assert_close(outcome.values["loss"], there["loss"].detach())
    assert (not read.warnings) == readable
    if readable:
        torch.testing.assert_close(outcome.gradients["trick_gradient"]["x"], there["x"].grad)
