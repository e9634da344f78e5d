"""The first programs that people write, in their own way: they run, or the answer says what to do.

Each is typed over the playground's first program, whose leftovers (its output, what is intended,
its second input) must not stand in the way.
"""

import pytest

from lessons.playground import cut, mend, preset
from pages.labs.messages import Wish
from pages.labs.playground import FIRST, state
from pages.labs.playground_controls import groups
from pages.labs.playground_form import form_of

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
    ("a = x * 0.5\nb = a.detach() + a  # half", [0.5] * 3),
    ("y = torch.where(x > 0, x, 0)", [0, 0, 1]),
    ("y = straight_through(torch.sign)(x)", [1, 1, 1]),
]
SAYS = [
    ("y=stopgradient(x)", (1, 3), "Did you mean stop_gradient"),
    ("def f(x): return x*2", (1, 1), "as in y = x * 2"),
    ("y = relu(x", (1, 9), "never closed"),
    ("y = relu x", (1, 5), "as in relu(x)"),
    ("y = ReLU(x)", (1, 5), "Did you mean relu?"),
    ("y = nn.ReLU()(x)", (1, 5), "Did you mean relu?"),
    ("x**2", (1, 1), "as in y = x ** 2"),
    ("y = w*x + b", (1, 5), "name it among the inputs"),
    ("y = X**2", (1, 5), "Did you mean x?"),
    ("y = x^2", (1, 6), "Write **"),
    ("y = 2x", (1, 5), "Write 2 * x"),
    ("y = (x - 1)(x + 1)", (1, 6), "Write * to multiply"),
    ("y = (x - 1) x", (1, 13), "write * to multiply"),
    ("y = max(x, 0)", (1, 5), "maximum(x, 0)"),
    ("y = x.pow(2)", (1, 5), "x**2"),
    ("y = x[0]", (1, 5), "unbind"),
    ("y = x.T", (1, 5), "transpose(x)"),
    ("import torch\ny = x", (1, 1), "leave this line out"),
    ("y = x\ny.backward()", (2, 1), "runs by itself"),
    ("y = x\nprint(y)", (2, 1), "in the table"),
    ("x = x * 2", (1, 1), "another name"),
    ("y == x", (1, 1), "single “=”"),
    ("return x*2", (1, 1), "the last name is the output"),
    ("with torch.no_grad(): y = x", (1, 1), "stop_gradient(…)"),
    ("y = torch.tensor([1, 2, 3]) * x", (1, 5), "[1, 2, 3]"),
    ("y = x + torch.randn(3)", (1, 9), "Noise is an input"),
    ("y = dropout(x)", (1, 5), "Noise is an input"),
    ("y = mse_loss(x, 1)", (1, 5), "mean((x - t)**2)"),
    ("y = F.gelu(x)", (1, 5), "x * sigmoid(1.702 * x)"),
    ("y = x.norm()", (1, 5), "sqrt(sum(x**2))"),
    ("lambda = 2\ny = lambda * x", (1, 1), "such as lam"),
    ("a, b = x, x\ny = a * b", (1, 8), "a line of its own"),
]


def typed(program, **more):
    before = form_of(preset(FIRST))
    values = before | {"program": program} | more
    return state(Wish(lab="playground", values=values, good=before, touched=["program"]))


@pytest.mark.parametrize(("program", "gradient"), RUNS)
def test_it_runs_and_leftovers_are_dropped_with_a_note(program, gradient):
    now = typed(program)
    assert now.errors == {}
    assert now.outcome.output == now.document.program.split("\n")[-1].split()[0]
    assert "intended_gradient" not in now.outcome.gradients
    assert "Intended: clean" in now.notice
    assert now.outcome.curves[0].low is None, "the noise is not read: there is no band"
    found = now.outcome.gradients["trick_gradient"]["x"]
    if gradient is not None:
        assert found.tolist() == pytest.approx(gradient)


@pytest.mark.parametrize(("program", "place", "words"), SAYS)
def test_what_does_not_run_is_answered_at_its_place(program, place, words):
    now = typed(program)
    error = now.errors["program"]
    assert words in error.message
    assert (error.line, error.column) == place
    assert now.outcome is not None, "the old picture stays"
    assert now.form["intended"] == "clean", "half a program drops nothing"


def test_a_rule_for_lines_that_are_gone_is_dropped_too():
    row = {"override.1.op": "mul", "override.1.rule": "None, None", "override.1.only": "yu"}
    now = typed("y = x * x", **row)
    assert now.errors == {}
    assert now.document.overrides == ()
    assert "the rule for mul" in now.notice


def test_a_blank_start_is_one_line_that_runs():
    values = form_of(preset(FIRST)) | {"preset": "blank"}
    now = state(Wish(lab="playground", values=values, touched=["preset"]))
    assert now.errors == {}
    assert now.document.program == "y = x**2"
    assert now.outcome.gradients["trick_gradient"]["x"].tolist() == [-4, -2, 2]
    (start,) = [c for c in groups(now)[0]["controls"] if c["name"] == "preset"]
    assert start["value"] == "blank"
    assert start["options"][0]["value"] == "blank", "no entry that does nothing"
    assert all(one.get("group") for one in start["options"][1:])


@pytest.mark.parametrize(
    ("program", "op", "mended"),
    [
        ("y = x.detach() * x", "mul", "y = x * x"),
        ("y = stop_gradient(x + u) * x", "mul", "y = (x + u) * x"),
        ("y = stop_gradient(x + u).sum()", "sum", "y = (x + u).sum()"),
        ("y = sum(stop_gradient(x + u))", "sum", "y = sum(x + u)"),
    ],
)
def test_scissors_mend_a_cut_that_was_written_in_any_way(program, op, mended):
    document = preset(FIRST).with_(program=program, output="", intended="")
    assert mend(document, op, 0).program == mended
    assert mend(cut(document.with_(program=mended), op, 0), op, 0).program == mended
