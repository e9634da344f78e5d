"""The first programs that people write, in their own way: they run, or the answer says what to do.

Each is typed over the playground's first program, and gets the inputs that are there.
"""

from typing import Any

import pytest
import torch

from lessons.playground.document.contents import Document, Input
from lessons.playground.document.gestures import form_of
from lessons.playground.document.presets import preset
from lessons.playground.document.words import WORDS as DOCUMENT
from lessons.playground.language.emit import in_torch
from lessons.playground.language.parse import parse_program
from lessons.playground.language.pasted import pasted
from lessons.playground.language.refusals import OF_KEYWORDS
from lessons.playground.language.spellings import INSTEAD
from lessons.playground.language.words import WORDS as LANGUAGE
from lessons.playground.running.outcome import run
from lessons.playground.running.recorded import snip
from pages.labs.messages import Wish
from pages.labs.playground import FIRST, state
from pages.labs.playground_state import State
from tests.playground.said import said
from tests.recorder.programs import Program
from tests.support.present import present

RUNS = [
    ("y = x**2 + stop_gradient(x)", [-4, -2, 2]),
    ("y = torch.relu(x)", [0, 0, 1]),
    ("loss = mean(x)", [1 / 3] * 3),
    ("y = x.detach()*2", None),
    ("y = x + (x.round() - x).detach()", [1, 1, 1]),
    ("y = torch.nn.functional.softplus(x)", None),
    ("y = torch.clamp(x, min=-1.5, max=1.5)", [0, 1, 1]),
    ("y = x.clamp(-1.5, 1.5).sum()", [0, 1, 1]),
    ("y = tf.stop_gradient(x) * x", [-2, -1, 1]),
    ("y = jax.nn.relu(x) + np.abs(x)", [-1, -1, 2]),
    ("y = x * jax.lax.stop_gradient(tf.sqrt(x**2))", [2, 1, 1]),
    ("a = x * 0.5\nb = a.detach() + a  # half", [0.5] * 3),
    ("y = torch.where(x > 0, x, 0)", [0, 0, 1]),
    ("y = straight_through(torch.sign)(x)", [1, 1, 1]),
    ("y = x.clone() * 2", [2, 2, 2]),
    ("y = x.pow(exponent=2)", [-4, -2, 2]),
    ("y = (x - 1).pow(2).mul(3).sum()", [-18, -12, 0]),
    ("y = torch.div(torch.sub(x, 1), torch.add(x, 4)) * 1.0", [5 / 4, 5 / 9, 5 / 25]),
    ("y = np.power(2, x)", [0.17328679513998632, 0.34657359027997264, 1.3862943611198906]),
    ("y = torch.softmax(x, dim=-1)", [0, 0, 0]),
    ("y = F.log_softmax(x, -1).sum()", None),
    ("y = torch.logsumexp(x, dim=-1)", [0.04201007, 0.1141952, 0.84379473]),
    ("y = torch.clamp(x, min=0)", [0, 0, 1]),
    ("y = torch.round(x)\nz = x + (y - x).detach()\nloss = mean(z**2)", [-4 / 3, -2 / 3, 2 / 3]),
]
# program, (line, column), message
REFUSED = [
    ("y=stopgradient(x)", (1, 3), said("no_function did_you_mean_or", "stop_gradient")),
    ("y = relu x", (1, 5), said("brackets_missing", "relu", "x")),
    ("y = ReLU(x)", (1, 5), said("no_function did_you_mean", "relu")),
    ("y = (x - 1)(x + 1)", (1, 6), said("no_function_before_brackets")),
    ("y = max(x, 0)", (1, 5), said("no_function", INSTEAD["max"])),
    ("y = x.pow()", (1, 5), said("parameters_missing", "pow(a, b)")),
    ("y = torch.add(x, x, beta=2)", (1, 21), said("no_parameter", "add(a, b)", "beta")),
    ("y == x", (1, 1), said("compares_alone")),
    ("y = x + torch.randn(3)", (1, 9), said("no_function", INSTEAD["randn"])),
    ("y = where(True, x, 0)", (1, 11), OF_KEYWORDS["True"]),
    ("y = (x**2\nz = y + 1", (1, 5), said("not_closed_in_line")),
    ("y = x * 2\ny[0] = 0", (2, 1), said("part_assigned")),
    ("y = atan(x)", (1, 5), said("no_function there_are")),
    ("y = torch.norm(x, p=1)", (1, 21), said("no_parameter", "norm(x)", "p")),
    ("def f(x):\n    return x.norm(p=1)", (2, 12), LANGUAGE("unread", code="x.norm(p=1)")),
    ("import q\ny = x.max()", (0, 0), said("of_your_code unread", "Line 2 of")),
    ("y = x / x.numel()", (1, 9), said("no_function", INSTEAD["numel"])),
    ("y = x.argmax()", (1, 5), said("no_function did_you_mean", "“argmax”", "onehot_argmax")),
    ("class Flip(torch.autograd.Function):", (1, 1), OF_KEYWORDS["class"]),
    (
        "torch.nn.utils.clip_grad_norm_(x, 1.0)",
        (1, 1),
        said("no_function", INSTEAD["clip_grad_norm"]),
    ),
    ("w = sum(x)\nclean = w @ x", (4, 9), said("matmul_of_name")),  # below two inputs
]

REWORDED = {
    "y = nn.ReLU()(x)": "y = torch.relu(x)",
    "y = x.norm()": "y = torch.sqrt(torch.sum(x**2))",
    "y = F.mse_loss(x, 1 - x)": "y = torch.mean((x - (1 - x))**2)",
    "y = F.mse_loss(x, u, reduction='sum')": "y = torch.sum((x - u)**2)",
    "y = x.T": "y = x",
    "y = torch.add(x, x, alpha=2)": "y = x + 2 * x",
    "y = x\nimport torch": "y = x",
    "from torch import nn\r\nimport os, math  # 2.0\r\n\ny = x": "# 2.0\ny = x",
    "y = x  # as it is\n# and back\nloss = y.norm(2, dim=1)\nloss.backward()\nopt.step()": (
        "y = x  # as it is\n# and back\nloss = torch.sqrt(torch.sum(y**2))"
    ),
    "x = x * 2": "x2 = x * 2",
    "y = x + 1\ny *= 2": "y = x + 1\ny2 = y * 2",
    "y = x * 2\ny.mul_(3)": "y = x * 2\ny2 = y * 3",
    "x.requires_grad_(False)\nu.requires_grad = False\ny = x * u": (
        "x2 = stop_gradient(x)\nu2 = stop_gradient(u)\ny = x2 * u2"
    ),
    "y = x * 2\ny.backward(u)": "y = x * 2\ny2 = scale_gradient(y, u)",
    "y = x * 2\ny.backward(torch.ones_like(y))": "y = x * 2",
    "y = x * 2\nz = y + 1\nfabric.backward(y)": "y = x * 2\nz = y + 1",
    "a, b = x, x + 1\na, b = b, a\ny = a / b": "a = x\nb = x + 1\na2 = b\nb2 = a\ny = a2 / b2",
    "    with torch.no_grad():\n        y = x": "y = stop_gradient(x)",
    "y = x.float().view(-1)": "y = x",
    "y = (x > 0).float()": "y = torch.where(x > 0, 1.0, 0.0)",
    "y = torch.max(x, u)": "y = torch.maximum(x, u)",
    "y = x if x > 0 else 0 * x": "y = torch.where(x > 0, x, 0 * x)",
    "y = x.sum(dim=0, keepdim=True)": "y = x.sum(0)",
    "y = torch.clamp(x, -u, u)": (
        "y = torch.where(torch.maximum(x, -u) > u, u, torch.where(x < -u, -u, x))"
    ),
    "y = math.pi * x[:]": "y = 3.141592653589793 * x",
    "y: Tensor = x.data": "y = stop_gradient(x)",
    "x.requires_grad = True\ny = x": "y = x",
}
"""Torch code pasted over the first program, and the program that replaces it."""


REPLACED: dict[str, tuple[str, Program]] = {
    "std": ("sqrt(sum((x - mean(x))**2) / (4 - 1))", torch.std),
    "var": ("sum((x - mean(x))**2) / (4 - 1)", torch.var),
    "max": ("select(topk(x, 1), 0)", torch.max),
    "min": ("-select(topk(-x, 1), 0)", torch.min),
}
"""What an answer offers in place of torch's own, and torch's own, to be compared at four points."""


def typed(program: str, **more: Any) -> State:
    before = form_of(preset(FIRST))
    values = before | {"program": program} | more
    return state(Wish(lab="playground", values=values, good=before, touched=["program"]))


def statements(program: str, now: State) -> str:
    """A program as the text has it then, in torch's spelling."""
    return in_torch(parse_program(program, [one.name for one in now.document.inputs]))


def inputs(now: State) -> str:
    return ", ".join(one.name for one in now.document.inputs)


@pytest.mark.parametrize(("program", "gradient"), RUNS)
def test_a_first_program_has_its_gradient(program: str, gradient: list[float] | None) -> None:
    now = typed(program)
    assert now.errors == {}
    outcome = present(now.computed).outcome
    assert outcome.output == now.document.program.split("\n")[-1].split()[0]
    assert "intended_gradient" not in outcome.gradients
    assert outcome.curves[0].low is None, "the noise is not read: there is no band"
    if gradient is not None:
        found = present(outcome.gradients["trick_gradient"]["x"])
        assert found.tolist() == pytest.approx(gradient)


@pytest.mark.parametrize(("program", "place", "words"), REFUSED)
def test_a_refusal_names_its_place(program: str, place: tuple[int, int], words: str | said) -> None:
    now = typed(program)
    error = now.errors["program"]
    assert words == error.message
    assert (error.line, error.column) == place
    assert present(now.computed).outcome is not None, "the old picture stays"


@pytest.mark.parametrize("typed_", REWORDED)
def test_torchs_words_become_the_languages_own(typed_: str) -> None:
    found = present(pasted(typed_, ["x", "u"]))
    assert found.program == REWORDED[typed_]
    assert {*found.inputs} <= {"x", "u"}


def test_a_whole_text_is_reworded_too() -> None:
    now = typed("x = input([1, 2])\ny = F.mse_loss(x, 1 - x)\nshow(y, x)")
    made = REWORDED["y = F.mse_loss(x, 1 - x)"]
    assert now.form["program"] == f"x = input([1, 2])\n{made}\nshow(y, x)"
    assert now.notice == DOCUMENT("rewritten")


@pytest.mark.parametrize("name", REPLACED)
def test_the_replacement_has_torchs_value_and_gradient(name: str) -> None:
    offered, of_torch = REPLACED[name]
    points = (-0.5, 0.0, 1.0, 2.25)
    said = INSTEAD[name].replace("(n - 1)", "(4 - 1)")
    assert offered in said
    found = run(Document((Input("x", points),), f"y = {offered}"), curves=False)
    x = torch.tensor(points, dtype=torch.float64, requires_grad=True)
    y = of_torch(x)
    (gradient,) = torch.autograd.grad(y.sum(), x)
    assert found.values["y"].tolist() == pytest.approx(y.tolist(), nan_ok=True)
    mine = present(found.gradients["trick_gradient"]["x"])
    assert mine.tolist() == pytest.approx(gradient.tolist(), nan_ok=True)


@pytest.mark.parametrize(
    ("text", "program", "output"),
    [
        ("def f(x):\n\ty = x * 2\n\treturn y.sum()", "y = x * 2\nout = y.sum()", "out"),
        ("def f(x):\n  return (x +\n    1)", "out = x + 1", "out"),
        ("def f(x):\n  out = 2 * x\n  return out + 1", "out = 2 * x\noutput = out + 1", "output"),
        ("def f(x):\n  return x", "out = x", "out"),
        ("def f():\n  return 2 * x", "out = 2 * x", "out"),
        ("def f(x):\n  a, b, c = unbind(x)\n  return b", "a, b, c = unbind(x)", "b"),
    ],
)
def test_what_a_function_returns_is_the_output(text: str, program: str, output: str) -> None:
    now = typed(text)
    assert now.document.program.endswith(statements(program, now))
    assert present(now.computed).outcome.output == output


def test_an_import_alone_stays_and_a_module_of_another_name_is_no_module() -> None:
    assert typed("import torch").form["program"] == "import torch"
    assert present(typed("import torch as t\ny = t.relu(x)").computed).outcome is not None


def test_a_function_of_which_nothing_can_be_read_is_answered_at_its_line() -> None:
    error = typed("def f(x, y):\n    return torch.lerp(x, y, 0.3)").errors["program"]
    assert said("unread", "torch.lerp(x, y, 0.3)") == error.message
    assert error.line == 2


@pytest.mark.parametrize("text", ["def f(x):", 'def f(x):\n    """Never closed.\n    return x'])
def test_half_a_function_is_refused_as_it_stands(text: str) -> None:
    now = typed(text)
    assert now.form["program"] == text
    assert now.errors["program"].message == OF_KEYWORDS["def"]


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("def f(x):\n    if x > 0:\n        return x\n    return -x", "out = x"),
        ("def f(x):\n    if (n := 2 * x) > 0:\n        return n", "n = 2 * x"),
        ("def f(x, w=None):\n    if w is None:\n        w = 2\n    return x * w", "out = x * w"),
        ("def f(x):\n    y = x * 2", "y = x * 2"),
        ("def f(x):\n    if x.dim() == 0:\n        return x * 0\n    return -x", "out = -x"),
        ("def f(x):\n    if x < 0:\n        raise E\n    return -x", "out = -x"),
        ("def f(x):\n    u = x.new().normal_(0, 0.1)\n    return x * u", "out = x * u"),
        ("def f(x, *rest, n=3):\n    return x * n", "out = x * n"),
        ("def f(x):\n    return x\n    y = x", "out = x"),
        ("y = x * w\nz = y + b\nq = z * z", "y = x * w\nz = y + b\nq = z * z"),
        ("for i in y:\n    y = y + i\n\nz = 2 * y\nq = z", "# for i in y:\nz = 2 * y\nq = z"),
        ("σ = self.α * x", "sigma = alpha * x"),
        ("x = torch.tensor([1.0, 2.0], requires_grad=True)\nimport q\ny = x * 2", "y = x * 2"),
    ],
)
def test_unreadable_code_becomes_an_input_or_a_comment(text: str, program: str) -> None:
    now = typed(text)
    assert now.errors == {}
    assert now.document.program.endswith(statements(program, now))


@pytest.mark.parametrize(
    ("program", "edge", "mended"),
    [
        ("y = x.detach() * x", "mul:0", "y = x * x"),
        ("y = stop_gradient(x -\nu) * x", "mul:0", "y = (x -\nu) * x"),
        ("y = stop_gradient(x + u).sum()", "sum:0", "y = (x + u).sum()"),
        ("y = stop_gradient(x + u).pow(2)", "pow:0", "y = (x + u).pow(2)"),
        ("y = torch.mul(stop_gradient(x), u)", "mul:0", "y = torch.mul(x, u)"),
    ],
)
def test_scissors_mend_a_cut_that_was_written_in_any_way(
    program: str, edge: str, mended: str
) -> None:
    document = preset(FIRST).with_(program=program, output="", intended="")
    assert snip(document, edge).program == mended
    assert snip(snip(document.with_(program=mended), edge), edge).program == mended
