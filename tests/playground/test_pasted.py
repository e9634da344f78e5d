"""Real code as it is pasted, written after well-known repositories, and what is read of it."""

import ast
import random
import re
from contextlib import suppress

import pytest

from lessons.playground.document.contents import Noise
from lessons.playground.document.gestures import warnings_in
from lessons.playground.document.words import WORDS as DOCUMENT
from lessons.playground.language.emit import in_torch
from lessons.playground.language.functions import CALLABLE
from lessons.playground.language.parse import parse_program
from lessons.playground.language.pasted import pasted
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.spellings import INSTEAD
from lessons.playground.language.words import WORDS
from pages.labs.messages import Wish
from pages.labs.playground import build_frame, state
from tests.playground.said import joined, said
from tests.playground.test_newcomers import inputs as inputs_of
from tests.playground.test_newcomers import statements, typed
from tests.support.present import present

BYOL = """
def loss_fn(x, y):
    x = F.normalize(x, dim=-1, p=2)
    y = F.normalize(y, dim=-1, p=2)
    return 2 - 2 * (x * y).sum(dim=-1)

class BYOL(nn.Module):
    def forward(self, image_one, image_two):
        online_pred_one = self.online_predictor(self.online_encoder(image_one))
        online_pred_two = self.online_predictor(self.online_encoder(image_two))
        with torch.no_grad():
            target_proj_one = self.target_encoder(image_one)
            target_proj_two = self.target_encoder(image_two)
        loss_one = loss_fn(online_pred_one, target_proj_two.detach())
        loss_two = loss_fn(online_pred_two, target_proj_one.detach())
        loss = loss_one + loss_two
        return loss.mean()
"""

FOCAL = """
class FocalLoss(nn.Module):
    def __init__(self, alpha=0.25, gamma=2):
        super().__init__()
        self.alpha = alpha
        self.gamma = gamma

    def forward(self, p):
        return -self.alpha * (1 - p)**self.gamma * torch.log(p)
"""

REPARAM = '''
    def reparameterize(self, mu: Tensor, logvar: Tensor) -> Tensor:
        """
        Reparameterization trick to sample from N(mu, var) from N(0,1).
        """
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return eps * std + mu
'''


# name: (code, its output, its inputs, lines of the program, notes with their lines)
REAL_CODE = {
    "byol": (
        BYOL,
        "out",
        {"online_pred_one", "online_pred_two", "target_encoder_image_one",
         "target_encoder_image_two"},
        ["target_proj_one = stop_gradient(target_encoder_image_one)",
         "x = online_pred_one / sqrt(maximum(sum(online_pred_one ** 2), 1e-12 ** 2))",
         "loss_one = 2 - 2 * (x * y2).sum(dim=-1)"],
        [(9, said("unread_input", "online_pred_one")),
         (12, said("unread_input", "self.target_encoder(image_one)"))],
    ),
    "reparameterise": (
        REPARAM,
        "out",
        {"mu", "logvar", "eps"},
        ["std = torch.exp(0.5 * logvar)", "out = eps * std + mu"],
        [(7, said("drawn", "normal"))],
    ),
    "first of two": (
        "def f(x):\n    first = x.cumsum(0)\n    return first, x * 2\n",
        "out",
        {"x"},
        ["out = x * 2"],
        [(3, said("unread", "first"))],
    ),
}  # fmt: skip


def in_torch_s(line: str) -> str:
    """A line in torch's spelling, whatever it reads."""
    names = {node.id for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Name)}
    return in_torch(parse_program(line, sorted(names - {*CALLABLE, "torch", line.split()[0]})))


@pytest.mark.parametrize("name", REAL_CODE)
def test_real_code_is_read_as_far_as_it_can_be_and_the_rest_is_said_at_once(name: str) -> None:
    code, output, inputs, lines, told = REAL_CODE[name]
    now = typed(code)
    assert now.errors == {}
    assert present(now.computed).outcome.output == output
    assert {*inputs_of(now).split(", ")} == inputs
    read = {ast.unparse(ast.parse(line)) for line in now.document.program.split("\n")}
    assert {ast.unparse(ast.parse(in_torch_s(line))) for line in lines} <= read
    notes = joined(now.form["program"]).split("\n")
    for line, words in told:
        assert any(said("of_your_code", f" {line} of") == n and words == n for n in notes), words
    assert sum(said("of_your_code") == note for note in notes) <= 5
    gradients = present(now.computed).outcome.gradients["trick_gradient"]
    assert any(one is not None and one.abs().sum() > 0 for one in gradients.values())


REVERSAL = """
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -(grad * ctx.alpha).clamp(max=2, min=-1), None

class Net(nn.Module):
    def forward(self, x, alpha):
        features = self.encoder(x)
        return self.classes(features), self.domain(Reverse.apply(features, alpha))
"""


def test_a_trick_that_goes_into_an_unknown_layer_of_another_output_is_the_one_shown() -> None:
    now = typed(REVERSAL)
    assert now.errors == {}
    shown = "scale_gradient(clip_gradient(flip_gradient(features), -1, 2), alpha)"
    assert now.document.program.endswith(f"= domain_weight * {shown}")
    assert said("several_returned", present(now.computed).outcome.output) == now.document.program
    assert DOCUMENT("pasted", inputs="alpha, features, domain_weight", output="out2") in now.notice
    step = typed("import torch\nx = torch.tensor(3.0)\ny = x**2\ny.backward()\n"
                 "with torch.no_grad():\n    x -= 0.1 * x.grad")  # fmt: skip
    outcome = present(step.computed).outcome
    assert (outcome.output, outcome.over) == ("y", "x")


def test_a_script_of_drawn_tensors_has_one_that_stays_and_what_its_backward_is_called_on() -> None:
    now = typed(
        "import torch\nx = torch.randn(3, requires_grad=True)\nu = torch.rand(3)\n"
        "with tricks.gradient_override_map({'mul': rule}):\n    y = x * u\n(y * y).sum().backward()"
    )
    assert now.errors == {}
    assert now.document.program.endswith("y = x * u\nloss = (y * y).sum()")
    assert now.document.input("x").remark == WORDS("invented")
    assert now.document.input("u").noise == Noise("uniform", 0.0, 1.0, like="x")
    (warning,) = warnings_in(now.document)
    assert said("of_your_code unread", "with tricks.gradient_override_map") == warning


def test_the_comments_at_an_input_stay_there() -> None:
    now = typed("import torch\n# a\nx = torch.tensor([1.0, 2.0])  # b\n# c\ny = x * 2\n")
    assert now.document.inputs[0].above[1:] == ("# a", "# b")
    assert now.document.program == "# c\ny = x * 2"


def test_what_the_code_says_of_its_settings_are_the_values_of_the_inputs() -> None:
    form = typed(FOCAL).form
    assert (form["in.alpha.values"], form["in.gamma.values"]) == ("0.25", "2")
    assert typed(REPARAM).document.input("eps").noise == Noise("normal", 0.0, 1.0, like="logvar")
    now = typed(
        "w = torch.tensor([1.0, -2.0])\nw.requires_grad = True\nassert w.sum()\n"
        "v = torch.rand(2)\nloss = (v * w.requires_grad_() ** 2).sum() / w.numel()\nloss.backward()"
    )
    assert now.document.program.endswith(
        statements("# v = torch.rand(2)\nloss = (v * w**2).sum() / numel", now)
    )
    assert now.form["in.w.values"] == "[1, -2]"
    assert now.document.input("v").noise == Noise("uniform", 0.0, 1.0, like="w")
    assert said("unread_input", "w.numel()", INSTEAD["numel"]) == now.form["program"]


def test_unread_calls_are_one_input_and_the_output_goes_backward() -> None:
    code = "def f(x):\n    loss = g(x) + g(x) * self.scale\n    loss.backward()\n    y = loss * 2\n"
    now = typed(code)
    assert now.document.program.endswith(statements("loss = g_x + g_x * scale\ny = loss * 2", now))
    assert now.form["in.scale.values"] == "0.5"
    assert present(now.computed).outcome.output == "loss"


def test_a_method_copied_from_its_first_word_on_is_read() -> None:
    now = typed(
        "def forward(self, x):\n        'Scaled.'\n"
        "        y = self.scale * x\n        return F.silu(y)\n"
    )
    assert now.document.program.endswith(statements("y = scale * x\nout = y * sigmoid(y)", now))
    assert inputs_of(now) == "x, scale"
    pasted_ = DOCUMENT("pasted", inputs="x, scale", output="out")
    assert now.notice == f"{pasted_} {DOCUMENT('without_values', inputs='x, scale')}"


def test_a_helper_is_read_where_its_value_is_returned_or_given_to_another() -> None:
    now = typed(
        "def twice(y):\n    x = 2 * y\n    return x\n\n"
        "def more(y):\n    z = twice(y)\n    return z + 1\n\n"
        "def loss(x):\n    m = more(x)\n    return torch.sum(m * x)\n"
    )
    assert now.document.program.endswith(
        statements("x2 = 2 * x\nz = x2\nm = z + 1\nout = torch.sum(m * x)", now)
    )


FUNCTION = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.save_for_backward(x)
        ctx.alpha = alpha
        output = {value}
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad = grad_output.clone()
        factor = grad_output.new_tensor(ctx.alpha)
        return {gradient}, None
"""


@pytest.mark.parametrize(
    ("value", "gradient", "program"),
    [
        ("x.view_as(x)", "-grad", "out = flip_gradient(x)"),
        ("x", "grad.neg() * ctx.alpha", "out = flip_gradient(x, alpha)"),
        ("x", "-factor * grad", "out = flip_gradient(x, alpha)"),
        ("x", "ctx.alpha * torch.neg(grad)", "out = flip_gradient(x, alpha)"),
        ("x", "-(-grad) / 4", "out = scale_gradient(x, 1 / 4)"),
        ("x", "grad.mul(-2.0)", "out = flip_gradient(x, 2.0)"),
        ("x", "torch.true_divide(grad, 4)", "out = scale_gradient(x, 1 / 4)"),
        ("x", "2 * grad.clamp(-1, max=1)", "out = clip_gradient(scale_gradient(x, 2), -1, 1)"),
        (
            "torch.sign(x)",
            "grad",
            "output = torch.sign(x)\nout = stop_gradient(output) + (x - stop_gradient(x))",
        ),
        (
            "x.round()",
            "grad * (x.abs() <= 1).float()",
            "output = x.round()\nout = stop_gradient(output) + (scale_gradient(x, "
            "torch.where(x.abs() <= 1, 1.0, 0.0)) - stop_gradient(x))",
        ),
    ],
)
def test_a_backward_of_a_known_form_is_a_trick(value: str, gradient: str, program: str) -> None:
    now = typed(FUNCTION.format(value=value, gradient=gradient))
    assert now.errors == {}
    assert now.document.program.split("\n")[-program.count("\n") - 1 :] == program.split("\n")
    assert said("backward_is", "Own") == now.form["program"]


def test_a_function_of_ones_own_is_read_where_it_is_applied() -> None:
    own = FUNCTION.format(value="x", gradient="-grad * ctx.alpha")
    now = typed(f"{own}\nflip = Own.apply\ny = flip(x, 0.5) * w\n")
    assert now.document.program.endswith(
        statements("alpha = 0.5\ny = flip_gradient(x, alpha) * w", now)
    )
    module = "\nclass Head(nn.Module):\n    def forward(self, h):\n        "
    now = typed(f"{own}{module}return torch.tanh(Own.apply(h, self.scale)) ** 2\n")
    line = "out = torch.tanh(flip_gradient(h, scale))**2"
    assert now.document.program.endswith(statements(line, now))
    assert inputs_of(now) == "h, scale"


@pytest.mark.parametrize(
    "gradient", ["torch.where(grad > 0, grad, 0)", "grad + 1", "grad.clamp(max=ctx.alpha)", "x"]
)
def test_a_backward_of_another_form_is_named_with_its_line(gradient: str) -> None:
    now = typed(FUNCTION.format(value="x * 2", gradient=gradient))
    assert now.document.program.endswith("output = x * 2")
    first, *_ = warnings_in(now.document)
    assert said("of_your_code unread_backward", "Line 11 of", "Own") == first


NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Dropout(0.1))
        self.last = {last}

    def forward(self, x):
        h = self.first(x) ** 2
        return self.last(h)
"""


def test_a_layer_is_a_weight_and_what_comes_before_it_is_kept() -> None:
    now = typed(NET.format(last="nn.Linear(8, 1)"))
    assert now.errors == {}
    assert now.document.program.endswith(
        statements("h = relu(first_0_weight * x) ** 2\nout = last_weight * h", now)
    )
    layer = WORDS("layer", layer="first_0", input="first_0_weight")
    assert WORDS("of_your_code", line=5, said=layer) in warnings_in(now.document)


def test_a_last_layer_that_cannot_be_read_is_named_and_the_value_before_it_is_the_output() -> None:
    now = typed(NET.format(last="Decoder()"))
    assert present(now.computed).outcome.output == "h"
    after = WORDS("unread_output", code="self.last(h)")
    assert WORDS("of_your_code", line=10, said=after) in warnings_in(now.document)


def test_a_note_names_the_line_that_changes_a_tensor_in_place() -> None:
    found = present(pasted("import torch\ny = x * 2\nlayer.weight += y\n", ["x"]))
    (note,) = found.invented.values()
    instead = WORDS("unread_input", code="layer.weight", input="weight")
    assert note == WORDS("of_your_code", line=3, said=instead)


LOSS = """
class Loss(nn.Module):
    def forward(self, scores, labels):
        ce = F.cross_entropy(scores, labels, reduction="none")
        loss = (1 - torch.exp(-ce)) ** self.gamma * ce
        return loss.mean(){}
"""


def test_an_input_for_unread_code_has_a_warning() -> None:
    now = typed(LOSS.format(""))
    moved = {"in.ce.values": "[1, 2, 3]"}
    later = state(Wish(lab="playground", values=now.form | moved, touched=["in.ce.values"]))
    for one in (now, later):
        (warning,) = [note for note in build_frame(one)["notes"] if note["level"] == "warning"]
        assert said("of_your_code unread_input", "Line 4 of", "ce is") == warning["text"]
    assert all(len(line) <= 60 for line in now.form["program"].split("\n") if line[0] == "#")
    more = "".join(f" * self.layer{place}(scores)" for place in range(4))
    found = warnings_in(typed(LOSS.format(more)).document)
    assert found[3:] == [DOCUMENT("more_unread", n=2)]


@pytest.mark.parametrize(
    ("scores", "target"),
    [("[1.0, 2.0]", "torch.tensor(1)"), ("[1.0, 2.0]", "1"),
     ("[[1.0, 2.0], [3.0, 4.0]]", "torch.tensor([0, 1])")],
)  # fmt: skip
def test_a_class_as_the_target_of_cross_entropy_is_no_probability(scores: str, target: str) -> None:
    now = typed(f"import torch\nx = torch.tensor({scores})\ny = x * 2\nt = {target}\n"
                "loss = torch.nn.functional.cross_entropy(y, t)\n")  # fmt: skip
    (warning,) = warnings_in(now.document)
    assert said("of_your_code unread_output", "Line 5 of") == warning


@pytest.mark.parametrize(
    "leaf",
    [
        "x = torch.tensor([1.0, 2.0], requires_grad=True)",
        "x = torch.tensor([1.0, 2.0]).requires_grad_()",
        "x = torch.tensor([1.0, 2.0]); x.requires_grad_(True)",
        "x = torch.tensor([1.0, 2.0]); x.requires_grad = True",
        "x = nn.Parameter(torch.tensor([1.0, 2.0]))",
        "x = torch.tensor([1.0, 2.0]).clone().requires_grad_()",
    ],
)
def test_what_requires_no_gradient_in_code_that_says_what_does_is_a_constant(leaf: str) -> None:
    now = typed(f"import torch\n{leaf}\nt = torch.tensor([0.0, 1.0])\nloss = (x - t) ** 2\n")
    assert now.document.program == "t = torch.tensor([0.0, 1.0])\nloss = (x - t)**2"
    assert (inputs_of(now), now.form["in.x.values"]) == ("x", "[1, 2]")


def test_a_view_of_a_leaf_is_no_leaf_of_its_own_and_a_constant_is_no_output() -> None:
    found = present(pasted("import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n"
                           "x = x.view(-1)\ny = x * 2\n", []))  # fmt: skip
    assert (found.program, found.inputs) == ("y = x * 2", {"x": "[1.0, 2.0]"})
    found = present(pasted("def f(x):\n    y = x * 2\n    return torch.tensor([1.0])\n", ["x"]))
    assert found.output == "y"
    assert said("unread_output") == found.warnings[0]


@pytest.mark.parametrize(
    ("body", "program"),
    [
        ("scale = torch.exp(self.scale)\n y = x * scale\n return y + self.scale",
         "scale2 = torch.exp(scale)\ny = x * scale2\nout = y + scale"),
        ("m = 2 * x\n self.m = self.m * m\n return self.m", "m = 2 * x\nm3 = m2 * m\nout = m3"),
    ],
)  # fmt: skip
def test_an_attribute_is_not_the_local_of_its_name(body: str, program: str) -> None:
    found = present(pasted(f"def f(self, x):\n {body}\n", []))
    assert found.program == program


def test_code_that_was_mangled_on_its_way_is_read_or_left() -> None:
    chance = random.Random(0)
    junk = [*"*[]():,", "self.", "[0]", "f'{x}'", "yield x", "**k", ":=", "not ", "None", "1j"]
    read = 0
    for _ in range(300):
        words = re.findall(r"\w+|\s+|[^\w\s]", chance.choice([*REAL_CODE.values()])[0])
        for _ in range(chance.randrange(1, 5)):
            words[chance.randrange(len(words))] = chance.choice([*junk, *words])
        with suppress(PlaygroundError):
            found = pasted("".join(words), ["x"], "q = 1")
            read += found is not None
            assert found is None or found.program
    assert read > 20


@pytest.mark.parametrize("line", ["() = x", "y = torch.logical_not()", "y = torch.detach()"])
def test_a_line_that_torch_itself_would_refuse_is_left_out_and_said(line: str) -> None:
    found = present(pasted(f"import torch\n{line}\nz = x * 2", ["x"]))
    assert found.output == "z"
    assert f"# {line}" in found.program or found.warnings
