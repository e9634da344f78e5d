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
from lessons.playground.language.pasted import Pasted, pasted
from lessons.playground.language.spellings import NUMBERS, TABLE
from lessons.playground.running.outcome import run

X, T = [0.3, -1.7, 2.5], [0.2, 0.7, 0.1]
POSITIVE = [0.3, 0.9, 0.6]
SPECIAL = dict.fromkeys(("sqrt", "log", "rsqrt", "log1p", "binary_cross_entropy"), (POSITIVE, T))
"""Operands of functions that are not defined everywhere."""

OURS = {
    *("step", "onehot_argmax", "onehot_sample", "identity", "stop_gradient", "flip_gradient"),
    *("scale_gradient", "clip_gradient", "clip_gradient_norm", "gradient_reversal", "Variable"),
}
"""Names that are none of torch's functions."""

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


def by_reader(read: Pasted, x: list[float], t: list[float]) -> tuple[Any, Any]:
    inputs = tuple(Input(name, tuple({"x": x, "t": t}[name])) for name in read.inputs)
    outcome = run(Document(inputs, read.program), curves=False)
    gradient = outcome.gradients["trick_gradient"]["x"]
    value = torch.as_tensor(outcome.values[outcome.output])
    return value, torch.zeros(len(x), dtype=torch.float64) if gradient is None else gradient


@pytest.mark.filterwarnings("ignore")  # torch warns of old arguments
@pytest.mark.parametrize("name", names())
def test_a_call_has_torchs_numbers_or_its_line_is_named(name: str) -> None:
    x, t = SPECIAL.get(name, (X, T))
    compared = 0
    for call in dict.fromkeys(calls(name)):
        read = pasted(f"import torch\nz = {call}\n", ["x", "t"])
        if read is None or any(
            note.startswith("Line 2 ") for note in (*read.notes, *read.invented.values())
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
    assert {*NUMBERS} <= {"ones", "ones_like", "zeros", "zeros_like"}


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
    read = pasted(f"import torch.nn as nn\n{text}", ["x", "t"])
    if read is None or any(
        note.startswith("Line ") for note in (*read.notes, *read.invented.values())
    ):
        return
    wanted = by_torch(call.replace("nn.", "torch.nn.").replace(", inplace=True", ""), X, T)
    assert wanted, call
    value, gradient = by_reader(read, X, T)
    torch.testing.assert_close(value.flatten(), wanted[0].flatten(), msg=f"{call}: {read}")
    torch.testing.assert_close(gradient.flatten(), wanted[1].flatten(), msg=f"{call}: {read}")
