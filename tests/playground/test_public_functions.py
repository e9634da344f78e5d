"""Ten kinds of functions of public repositories: what is read has torch's numbers, the rest a note.

The code is ours, in the forms that the named repositories use. In torch an input of the program
takes the place of what it stands for, such as a layer.
"""

from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
import torch
from torch import nn
from torch.nn import functional

from tests.playground.said import said
from tests.playground.test_newcomers import inputs, typed
from tests.recorder.programs import Program
from tests.support.present import present

CODEBOOK = """
class Codebook(nn.Module):
    def __init__(self, beta):
        super().__init__()
        self.beta = beta

    def forward(self, z):
        away = (z**2).sum(dim=1, keepdim=True) - 2 * z @ self.table.weight.t()
        nearest = torch.zeros(away.shape[0], 3)
        nearest.scatter_(1, away.argmin(dim=1).unsqueeze(1), 1)
        code = torch.matmul(nearest, self.table.weight).view(z.shape)
        loss = ((code.detach() - z) ** 2).mean() + self.beta * ((code - z.detach()) ** 2).mean()
        code = z + (code - z).detach()
        return code, loss, nearest
"""  # CompVis/taming-transformers, taming/modules/vqvae/quantize.py
FOCAL = """
def focal(scores, labels, alpha: float = -1, gamma: float = 2, reduction: str = "none"):
    entropy = F.binary_cross_entropy_with_logits(scores, labels, reduction="none")
    p = scores.sigmoid()
    right = labels * p + (1 - labels) * (1 - p)
    loss = (1 - right) ** gamma * entropy
    if alpha >= 0:
        loss = loss * (alpha * labels + (1 - alpha) * (1 - labels))
    if reduction == "mean":
        loss = loss.mean()
    return loss
"""  # facebookresearch/fvcore, fvcore/nn/focal_loss.py, Apache-2.0
OWN = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {}

    @staticmethod
    def backward(ctx, upstream):
        {}
"""
REVERSED = OWN.format(
    "same = x\n        return same",
    "result = None\n        if ctx.needs_input_grad[0]:\n            result = -upstream\n"
    "        return result",
)  # janfreyberg/pytorch-revgrad, src/pytorch_revgrad/functional.py, MIT
LEVELS = OWN.format(
    "x = x.clamp(0, 1)\n        return torch.round(x * 4) / 4", "return upstream"
)  # pkuxmq/Invertible-Image-Rescaling, codes/models/modules/Quantization.py
DROPPED = "MOST = 0.01\n" + OWN.format(
    "return x", "return torch.where(upstream.abs() > MOST, torch.zeros_like(upstream), upstream)"
)  # luigifreda/pyslam, thirdparty/lietorch/examples/core/networks/modules/clipping.py, BSD-3-Clause
CLIPPED = """
def policy_loss(batch):
    states, advantage, before = batch['obs'], batch['adv'], batch['logp']
    policy, now = actor.policy(states)
    ratio = (now - before).exp()
    bounded = advantage * ratio.clamp(1 - epsilon, 1 + epsilon)
    loss = -torch.min(bounded, advantage * ratio).mean()
    kl = (before - now).mean().item()
    return loss, dict(kl=kl)
"""  # openai/spinningup, spinup/algos/pytorch/ppo/ppo.py, MIT
GATE = """
class Gate(nn.Module):
    def __init__(self, width, experts, top_k=2):
        super().__init__()
        self.scores = nn.Linear(width, experts)
        self.top_k = top_k

    def forward(self, token):
        scores = self.scores(token)
        largest, which = torch.topk(scores, k=self.top_k, dim=-1, largest=True, sorted=False)
        return which, F.softmax(largest, dim=-1, dtype=torch.double) ** 2
"""  # laekov/fastmoe, fmoe/gates/naive_gate.py, Apache-2.0
MASKED = """
def masked(scores, mask, dim=-1, cheap: bool = False):
    if not cheap:
        shares = F.softmax(scores * mask, dim=dim) * mask
        shares = shares / (shares.sum(dim=dim, keepdim=True) + tiny(shares.dtype))
    else:
        shares = F.softmax(scores.masked_fill(~mask, -1e9), dim=dim)
    return shares

def report():
    print("done")
"""  # allenai/allennlp, allennlp/nn/util.py, Apache-2.0; the order of sh0416/brook, brook/utils.py
CONTRAST = """
class Contrast(nn.Module):
    def __init__(self, tau=0.5):
        self.tau = tau

    def forward(self, anchor, positive, others):
        return contrast(anchor, positive, others, tau=self.tau)

def contrast(anchor, positive, others, tau=1.0):
    anchor, positive = F.normalize(anchor, dim=-1), F.normalize(positive, dim=-1)
    same = (anchor * positive).sum(dim=-1, keepdim=True)
    scores = torch.cat([same, others], dim=-1) / tau
    first = torch.zeros(len(scores), dtype=torch.long)
    return F.cross_entropy(scores, first)
"""  # RElbers/info-nce-pytorch, info_nce/__init__.py, MIT
GUMBEL = """
def logistic(shape, source):
    u = source.sample(shape)
    return torch.log(u) - torch.log(1 - u)

def gate(score, source, count, tau=1, hard=False):
    soft = torch.sigmoid((logistic([count], source) + score) / tau)
    if hard:
        ones = (soft > 0.5).type(torch.Tensor)
        return ones.detach() - soft.detach() + soft
    return soft
"""  # slachapelle/dcdi, dcdi/utils/gumbel.py, MIT


Code = dict[str, Any]


def codebook(code: Code, x: SimpleNamespace) -> Any:
    module = SimpleNamespace(beta=x.beta, table=SimpleNamespace(weight=x.table_weight[:, None]))
    rows = mock.patch.object(torch, "zeros", return_value=x.nearest2.expand(3, 3))
    with rows, mock.patch.object(torch.Tensor, "scatter_"):
        return code["Codebook"].forward(module, x.z[:, None])[1]


def clipped(code: Code, x: SimpleNamespace) -> Any:
    actor = SimpleNamespace(policy=lambda states: (None, x.now))
    code |= {"actor": actor, "epsilon": x.epsilon}
    return code["policy_loss"]({"obs": None, "adv": x.advantage, "logp": x.before})[0]


def gate(code: Code, x: SimpleNamespace) -> Any:
    return code["Gate"].forward(SimpleNamespace(top_k=2, scores=x.scores_weight.mul), x.token)[1]


def masked(code: Code, x: SimpleNamespace) -> Any:
    code["tiny"] = lambda dtype: x.tiny
    return code["masked"](x.scores, x.mask)


def scores_of_contrast(code: Code, x: SimpleNamespace) -> Any:
    cat = mock.patch.object(torch, "cat", return_value=x.cat)
    with cat, mock.patch.object(functional, "cross_entropy") as loss:
        code["contrast"](x.anchor, x.positive, None, tau=x.tau)
    return loss.call_args.args[0]


def gumbel(code: Code, x: SimpleNamespace) -> Any:
    return code["gate"](x.score, SimpleNamespace(sample=lambda shape: x.u), 1, x.tau, hard=True)


# name: (code, how to run it in torch, its output, names of the notes)
CASES: dict[str, tuple[str, Program, str, str]] = {
    "codebook": (CODEBOOK, codebook, "loss", "several_returned unread_input one_axis left_out"),
    "focal": (FOCAL, lambda code, x: code["focal"](x.scores, x.labels, gamma=x.gamma), "loss",
              "other_branch"),
    "reversed": (REVERSED, lambda code, x: code["Own"].apply(x.x), "out", "backward_is"),
    "levels": (LEVELS, lambda code, x: code["Own"].apply(x.x), "out", "backward_is"),
    "dropped": (DROPPED, lambda code, x: x.x.clone(), "out", "unread_backward"),
    "clipped": (CLIPPED, clipped, "loss", "several_returned unread_input"),
    "gate": (GATE, gate, "out", "layer several_returned"),
    "masked": (MASKED, masked, "shares2", "first_branch unread_input only_read one_axis"),
    "contrast": (CONTRAST, scores_of_contrast, "scores", "unread_input unread_output"),
    "gumbel": (GUMBEL, gumbel, "out", "first_branch unread_input left_out"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_read_has_torchs_value_and_gradients_and_the_rest_is_noted(name: str) -> None:
    text, run, output, notes = CASES[name]
    now = typed(text)
    assert now.errors == {}
    outcome = present(now.computed).outcome
    assert outcome.output == output
    assert said(notes) == now.form["program"]
    leaves = {one: torch.as_tensor(outcome.values[one]).double().clone().requires_grad_()
              for one in inputs(now).split(", ")}  # fmt: skip
    code = {"torch": torch, "nn": nn, "F": functional}
    exec(text, code)
    wanted = run(code, SimpleNamespace(**leaves))
    torch.testing.assert_close(outcome.values[output].flatten(), wanted.detach().flatten())
    gradients = torch.autograd.grad(wanted.sum(), [*leaves.values()], allow_unused=True)
    for one, gradient in zip(leaves, gradients, strict=True):
        found = outcome.gradients["trick_gradient"][one]
        assert (found is None) <= (gradient is None or not gradient.any()), one
        if found is not None:
            gradient = torch.zeros_like(found) if gradient is None else gradient
            torch.testing.assert_close(found, gradient, msg=f"with respect to {one}")


def test_a_trick_without_a_gradient_is_not_offered_and_a_plain_name_gets_no_hint() -> None:
    now = typed(CLIPPED)
    assert said("or_show") != now.form["program"]
    assert all("stop_gradient" not in one.remark for one in now.document.inputs)


def test_each_draw_is_a_noise_of_its_own_and_needs_no_input_that_is_gone() -> None:
    helper = "def draw(x):\n    return -torch.log(torch.rand_like(x))\n\n"
    now = typed(f"{helper}def f(x):\n    a = draw(x)\n    b = draw(x)\n    return x + a - b\n")
    assert [one.noise.seed for one in now.document.inputs if one.noise] == [0, 1]
    values = present(now.computed).outcome.values
    assert values["out"].tolist() != values["x"].tolist()
    assert typed("def f(w, u):\n    return w.round() * u\n").errors == {}


@pytest.mark.parametrize(
    ("drawn", "like"),
    [("rand_like(x)", "x"), ("randn(*s.shape)", "x"), ("empty_like(b).normal_()", "b"),
     ("rand(n)", "x"), ("randn(3, device=x.device)", "b"), ("rand(1)", "")],
)  # fmt: skip
def test_noise_is_drawn_in_the_shape_that_the_code_says_or_its_line_is_named(
    drawn: str, like: str
) -> None:
    code = "def f(x, b):\n    s, n = 2 * x, x.size()\n    u = torch.{}\n    return s * b * u\n"
    now = typed(code.format(drawn))
    assert present(now.document.input("u").noise).like == like
    for drawn in ("rand_like(s.sum())", "rand(4)", "rand(x.size(0), 3)"):
        assert said("shape_unread", drawn) == typed(code.format(drawn)).form["program"]


@pytest.mark.parametrize("line", ["x[m == 0] = -9.0", "x = x.masked_fill(m == 0, -9.0)"])
def test_entries_that_a_condition_picks_are_replaced_or_the_line_is_noted(line: str) -> None:
    code = f"def f(x, m):\n    {line}\n    return x.softmax(-1)\n"
    assert "x2 = torch.where(m == 0, -9.0, x)" in typed(code).form["program"]
    now = typed(code.replace("m == 0", "~m"))
    assert "x2 = torch.where(m != 0, x, -9.0)" in now.form["program"]
