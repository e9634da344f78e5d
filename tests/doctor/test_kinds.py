"""Faults by their kind, and correct programs that are like them, in scripts of a few lines."""

from pathlib import Path

import pytest
import torch

from lessons.gradient_tricks.doctor import Trace, TraceError
from lessons.gradient_tricks.doctor.watch import OURS_FAILED, Watch
from tests.doctor.test_functions import Case, answers
from tests.doctor.test_scripts import HEAD
from tests.doctor.test_whole_scripts import TraceScript, script

__all__ = ["script"]
LOSS = "nn.functional.cross_entropy(net(x), y)"
TURN = f"for _ in range(3):\n    opt.zero_grad()\n    {LOSS}.backward()\n    opt.step()\n"
"""The usual loop, four lines."""
SCALED = (
    "scaler = torch.amp.GradScaler('cpu')\nfor _ in range(9):\n    opt.zero_grad()\n"
    "    scaler.scale(net(x).square().mean()).backward()\n"
)
SCALED_STEP = "    scaler.step(opt)\n    scaler.update()\n"

UNIT = """\
class Unit(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(2, 2))
        self.v = nn.Parameter(torch.randn(2), requires_grad=False)
    def forward(self, x):
        v = self.v
        v.data = nn.functional.normalize(self.w.data @ v.data, dim=0)
        return x @ self.w / self.w.mv(v).norm()
net.append(Unit())
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(3):
    opt.zero_grad()
    (net(x).square().mean() - net(x + 1).mean()).backward()
    opt.step()
"""
"""A weight divided by its length along v, which power iteration makes again in each call."""
PLAYERS = """\
other = nn.Linear(2, 1)
last = torch.optim.SGD(other.parameters(), 0.1)
for _ in range({turns}):
    last.zero_grad()
    other(net(x).detach()).mean().backward()
    {step}
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
"""
RARE = """\
critic = nn.Linear(2, 1)
last = torch.optim.SGD(critic.parameters(), 0.1)
for turn in range(20):
    opt.zero_grad()
    last.zero_grad()
    critic(net(x)).mean().backward()
    last.step()
    if turn % 4 == 3:
        opt.zero_grad()
        (-critic(net(x))).mean().backward()
        opt.step()
"""

CORRECT = {
    "a vector that is copied before it is exchanged": UNIT.replace("mv(v)", "mv(v.clone())"),
    "a generator that is cleared in each turn and steps in each fourth": RARE,
    "sparse gradients": """\
words = nn.Embedding(9, 4, sparse=True)
opt = torch.optim.SparseAdam(words.parameters(), 1e-2)
for _ in range(3):
    opt.zero_grad()
    nn.functional.cross_entropy(net(words(torch.tensor([1, 1, 2, 3, 4, 5]))), y).backward()
    opt.step()
""",
    "steps in hooks": """\
opts = {p: torch.optim.SGD([p], 0.1) for p in net.parameters()}
def move(p):
    opts[p].step()
    opts[p].zero_grad()
for p in opts:
    p.register_post_accumulate_grad_hook(move)
for _ in range(3):
    nn.functional.cross_entropy(net(x), y).backward()
""",
    "a step that was replaced": """\
def step():
    with torch.no_grad():
        for p in net.parameters():
            p -= 0.1 * p.grad
opt.step = step
"""
    + TURN,
    "fused": "opt = torch.optim.AdamW(net.parameters(), 1e-2, fused=True)\n" + TURN,
    "two optimizers on the same weights": """\
slow = torch.optim.SGD(net.parameters(), 1e-3)
for _ in range(4):
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
    slow.step()
""",
    "both networks clipped before both steps": """\
other = nn.Linear(2, 1)
opts = [opt, torch.optim.Adam(other.parameters(), 1e-2)]
for _ in range(3):
    other(net(x)).square().mean().backward()
    for part in (net, other):
        nn.utils.clip_grad_norm_(part.parameters(), 1.0)
    for one in opts:
        one.step()
        one.zero_grad()
""",
    "an ensemble of members under vmap": """\
from torch.func import functional_call, stack_module_state, vmap
weights, _ = stack_module_state([nn.Linear(4, 2) for _ in range(3)])
opt = torch.optim.Adam(weights.values(), 1e-2)
base = nn.Linear(4, 2)
for _ in range(3):
    opt.zero_grad()
    vmap(lambda w: functional_call(base, w, (x,)))(weights).square().mean().backward()
    opt.step()
""",
    "an expert without a token": """\
experts = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
opt.add_param_group({"params": experts.parameters()})
for turn in range(9):
    opt.zero_grad()
    nn.functional.cross_entropy(experts[turn // 4](net(x)), y).backward()
    opt.step()
""",
    "gradients that are divided": f"""\
for turn in range(12):
    ({LOSS} / 4).backward()
    if turn % 4 == 3:
        opt.step()
        opt.zero_grad()
""",
    "a clip in each microbatch": f"""\
for turn in range(12):
    ({LOSS} / 4).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    if turn % 4 == 3:
        opt.step()
        opt.zero_grad()
""",
    "a norm that is only asked for": f"""for _ in range(3):
    opt.zero_grad()
    {LOSS}.backward()
    opt.step()
    nn.utils.clip_grad_norm_(net.parameters(), float("inf"))
""",
    "a step that moves the weights, calls its closure and moves them back": """\
class Ahead(torch.optim.SGD):
    @torch.no_grad()
    def step(self, closure):
        held = self.param_groups[0]["params"]
        for p in held:
            p.add_(0.05 * p.grad)
        with torch.enable_grad():
            self.zero_grad()
            closure()
        for p in held:
            p.data = p - 0.1 * p.grad
opt = Ahead(net.parameters(), 0.1)
def closure():
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    return loss
for _ in range(3):
    closure()
    opt.step(closure)
    opt.zero_grad()
""",
    "a bias before a norm, in an optimizer of one's own": f"""\
net.insert(1, nn.BatchNorm1d(8))
class Own(torch.optim.Optimizer):
    @torch.no_grad()
    def step(self):
        for p in self.param_groups[0]["params"]:
            p -= 1e-3 * p.grad
opt = Own(net.parameters(), {{}})
{TURN}""",
    "an optimizer of one's own that moves one half in each turn": f"""\
class Turns(torch.optim.Optimizer):
    turn = 0
    @torch.no_grad()
    def step(self):
        self.turn += 1
        for p in self.param_groups[0]["params"][self.turn // 5 * 2 :][:2]:
            p -= 0.1 * p.grad
opt = Turns(net.parameters(), {{}})
{TURN}""",
    "a mask that is empty at first": """\
for turn in range(5):
    opt.zero_grad()
    mask = torch.full((6,), float(turn > 2))
    each = nn.functional.cross_entropy(net(x), y, reduction="none")
    ((each * mask).sum() / mask.sum().clamp(min=1)).backward()
    opt.step()
""",
    "a weight that ramps up": f"""\
head = nn.Linear(2, 3)
opt.add_param_group({{"params": head.parameters()}})
for turn in range(5):
    opt.zero_grad()
    ({LOSS} + max(0, turn - 2) / 9 * head(net(x)).square().mean()).backward()
    opt.step()
""",
    "a hinge that is met, next to another loss": f"""\
head = nn.Linear(2, 3)
opt.add_param_group({{"params": head.parameters()}})
for turn in range(5):
    opt.zero_grad()
    ({LOSS} + (head(net(x)).square() - 99).relu().mean()).backward()
    opt.step()
""",
    "no pair in the first batches": f"""\
for turn in range(5):
    opt.zero_grad()
    loss = {LOSS}
    loss = loss if turn > 2 else torch.zeros((), requires_grad=True)
    loss.backward()
    opt.step()
""",
    "an upstream gradient of one's own": """\
for _ in range(3):
    opt.zero_grad()
    out = net(x)
    out.backward(out.detach())
    opt.step()
""",
    "a gradient that is clamped, and weights that are": f"""\
for _ in range(3):
    opt.zero_grad()
    {LOSS}.backward()
    for p in net.parameters():
        p.grad.data.clamp_(-0.1, 0.1)
        print(p.grad.abs().max())
    opt.step()
    for p in net.parameters():
        p.data = p.data.clamp(-1, 1)
""",
    "weights that are frozen after a step, and stay": f"""\
opt = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
for turn in range(3):
    net[0].requires_grad_(turn < 1)
    opt.zero_grad()
    {LOSS}.backward()
    opt.step()
""",
    "a state that is detached in place": f"""\
cell, state = nn.GRUCell(4, 4), torch.zeros(6, 4)
opt.add_param_group({{"params": cell.parameters()}})
for _ in range(3):
    state = cell(x, state)
    opt.zero_grad()
    {LOSS.replace("(x)", "(state)")}.backward()
    opt.step()
    state.detach_()
""",
    "foreach": "opt = torch.optim.SGD(net.parameters(), 1e-2, 0.9, foreach=True)\n" + TURN,
}

# title, script, number of faults, patterns in the report, patterns that must be absent
REPORTS = [
    (
        "a player that never steps", PLAYERS.format(turns=5, step=""),
        1, (r"last \(SGD\), made in train\.py:9, never steps",), ("no optimizer holds",),
    ),
    (
        "a player without a step so far", PLAYERS.format(turns=20, step=""),
        0, (r"Gradients of last .*:9.* cleared 6 times, and no step used them",), (),
    ),
    (
        "a leaf whose numbers were replaced",
        "net(x)\nnn.init.normal_(net[0].weight.data)\n"
        + PLAYERS.format(turns=20, step=""),
        0, (), ("sum of 2",),
    ),
    (
        "a network that is cast and read later",
        "net(x)\nother = nn.Linear(2, 1).double().to('cpu')\nother.weight.data.mul_(2)\n" + TURN,
        0, (), ("which has a graph", "into a leaf"),
    ),
    (
        "a vector that is exchanged between two calls", UNIT,
        1, (r"\bv was changed", ":16", "2 times", r"v = v\.clone\(\)"), ("data = data",),
    ),
    (
        "two losses whose gradients nothing clears",
        "other = torch.optim.SGD([nn.Parameter(torch.ones(2))], 0.1)\n"
        "for _ in range(9):\n    net(x).abs().mean().backward()\n    opt.step()\n"
        "    net(x).square().mean().backward()\n    other.step()\n",
        1, (r"opt\.step\(\)", ":11", r"opt\.zero_grad\(\)"), (),
    ),
    (
        "a refused optimizer",
        "opt = torch.optim.Adam(net.parameters(), betas=(0, 0.9))\n" + TURN,
        1, ("ValueError", ":8", "betas must be"), ("param_groups",),
    ),
    (
        "never a step",
        f"for turn in range(3):\n    {LOSS}.backward()\n    if turn > 5:\n        opt.step()\n",
        1, (r"opt \(Adam\)", ":6", ":11", "never"), (),
    ),
    (
        "a learning rate of 0",
        "plan = torch.optim.lr_scheduler.LambdaLR(opt, lambda turn: turn / 5)\n"
        + TURN + "    plan.step()\n",
        0, ("learning rate", "plan", ":8", ":12"), (),
    ),
    (
        "a new tensor in place of the weight",
        "class Own(torch.optim.Optimizer):\n"
        "    def step(self):\n"
        "        for p in self.param_groups[0]['params']:\n"
        "            p = p - 0.1 * p.grad\n"
        "opt = Own(net.parameters(), {})\n" + TURN,
        1, (r"net\.0\.weight", "left them as they were", ":16", "in place"), (),
    ),
    (
        "a step to infinity",
        "opt = torch.optim.SGD(net.parameters(), float('inf'))\n" + TURN,
        1, (":12", r"net\.0\.weight", "NaN or ∞", "learning rate"), (),
    ),
    (
        "the eps of Adam in half precision",
        "net, x = net.half(), x.half()\nopt = torch.optim.Adam(net.parameters(), 1e-3)\n"
        "for _ in range(3):\n    opt.zero_grad()\n    net(x).relu()[:, :1].sum().backward()\n"
        "    opt.step()\n",
        1, (":13", "eps=1e-08 is 0 in float16"), (),
    ),
    (
        "a mask that weight decay undoes",
        "opt = torch.optim.AdamW(net.parameters(), 1e-2, weight_decay=0.1)\n"
        f"for _ in range(3):\n    opt.zero_grad()\n    {LOSS}.backward()\n"
        "    net[0].weight.grad[:2] = 0\n    opt.step()\n",
        0, (":8", ":13", r"net\.0\.weight", "weight_decay=0.1"), (r"net\.2\.weight whose",),
    ),
    (
        "the other network clipped",
        "other = nn.Linear(2, 1)\nlast = torch.optim.SGD(other.parameters(), 0.1)\n"
        "for _ in range(3):\n    opt.zero_grad()\n    net(x).square().mean().backward()\n"
        "    opt.step()\n    last.zero_grad()\n"
        "    other(net(x).detach()).square().mean().backward()\n"
        "    nn.utils.clip_grad_value_(net.parameters(), 0.1)\n    last.step()\n",
        1, (":16", r"net\.0\.weight", r"last\.step\(\)", ":17", r"other\.weight"), (),
    ),
    (
        "an image made of a result",
        "image = net(x).detach().clone().requires_grad_(True)\n"
        "opt = torch.optim.Adam([image], 0.1)\nfor _ in range(3):\n    opt.zero_grad()\n"
        "    (image * 9).round().square().mean().backward()\n    opt.step()\n",
        1, (r"gradient of image is 0", "round", ":12"), (),
    ),
    (
        "weights that no module's call reads",
        "layer = nn.Linear(4, 2).to('cpu')\nopt = torch.optim.SGD(layer.parameters(), 0.1)\n"
        "for _ in range(3):\n    opt.zero_grad()\n"
        "    (x @ layer.weight.t().detach() + layer.bias).square().mean().backward()\n"
        "    opt.step()\n",
        1, (r"layer\.weight", r"\.detach\(\)", ":12"), (),
    ),
    (
        "a layer that is never read",
        "net.append(nn.Linear(2, 2))\nopt.add_param_group({'params': net[3].parameters()})\n"
        "for _ in range(2):\n    opt.zero_grad()\n    net[:3](x).square().mean().backward()\n"
        "    opt.step()\n    net[3].weight.grad.norm()\n",
        1, (r"net\.3\.weight", "no op"), (),
    ),
    (
        "a penalty of a weight's own data",
        f"for _ in range(3):\n    opt.zero_grad()\n    loss = {LOSS}\n"
        "    (loss + 0.1 * net[0].weight.data.abs().sum()).backward()\n    opt.step()\n",
        1, (r"net\.0\.weight\.data", ":11", "constant of the loss", r"without \.data"), (),
    ),
    (
        "a term without gradients",
        f"for _ in range(3):\n    opt.zero_grad()\n    loss = {LOSS}\n"
        "    with torch.no_grad():\n        size = net(x).square().mean()\n"
        "    (loss + 0.1 * size).backward()\n    opt.step()\n",
        0, ("no_grad", ":11", "constant of the loss"), (),
    ),
    (
        "a codebook behind its bridge",
        "codes = nn.Embedding(5, 2)\nopt.add_param_group({'params': codes.parameters()})\n"
        "for _ in range(3):\n    opt.zero_grad()\n    h = net(x)\n"
        "    code = codes(torch.cdist(h, codes.weight).argmin(1))\n"
        "    joined = h + (code - h).detach()\n    joined.square().mean().backward()\n"
        "    opt.step()\n",
        1, (r"codes\.weight", "bridge", ":14", r"mse_loss\(code, h\.detach"),
        (r"[Rr]emove \.detach",),
    ),
    (
        "a loss wrapped as a leaf",
        f"for _ in range(3):\n    opt.zero_grad()\n    loss = {LOSS}\n"
        "    loss = nn.Parameter(loss)\n    loss.backward()\n    opt.step()\n",
        1, (r"nn\.Parameter\(loss\)", ":11", r"net\.0\.weight"), ("watch",),
    ),
    (
        "a mask of zeros behind cat",
        "heads = nn.ModuleList(nn.Linear(2, 1) for _ in range(2))\n"
        "opt.add_param_group({'params': heads.parameters()})\nmask = torch.tensor([1.0, 0.0])\n"
        "for _ in range(3):\n    opt.zero_grad()\n"
        "    outs = torch.cat([head(net(x)) for head in heads], 1)\n"
        "    (outs.square() * mask).mean().backward()\n    opt.step()\n",
        1, (r"heads\.1\.weight", ":14", "multiplies it by mask"), (),
    ),
    (
        "softmax before the loss",
        f"net.append(nn.Softmax(1))\n{TURN}",
        0, ("softmax in net.3", ":11", "cross_entropy", "before softmax"), (),
    ),
    (
        "sigmoid before the loss",
        "for _ in range(3):\n    opt.zero_grad()\n    p = net(x).sigmoid()[:, 0]\n"
        "    nn.functional.binary_cross_entropy_with_logits(p, y.float()).backward()\n"
        "    opt.step()\n",
        0, (r"sigmoid", ":11", "with_logits"), (),
    ),
    (
        "a term twice",
        "for _ in range(3):\n    opt.zero_grad()\n    extra = net[0](x).square().mean()\n"
        f"    both = {LOSS} + extra\n    (both + 0.1 * extra).backward()\n    opt.step()\n",
        0, ("extra", "twice", ":10", ":11", ":12"), (),
    ),
    (
        "a term that never arrives",
        f"for _ in range(3):\n    opt.zero_grad()\n    loss = {LOSS}\n"
        "    size = net[0].weight.abs().sum()\n    total = loss + size\n    loss.backward()\n"
        "    opt.step()\n",
        0, ("total", ":12", "size never arrives"), (),
    ),
    (
        "a sum that keeps each graph",
        f"total = 0\nfor _ in range(3):\n    opt.zero_grad()\n    loss = {LOSS}\n"
        "    total += loss\n    loss.backward()\n    opt.step()\n",
        0, ("total", ":12", r"loss\.item\(\)"), (),
    ),
    (
        "gradients that nobody divides",
        f"for turn in range(12):\n    {LOSS}.backward()\n    if turn % 6 == 5:\n"
        "        opt.step()\n        opt.zero_grad()\n        print(turn)\n",
        0, (":11", "sum of 6 gradients", ":9", "loss / 6"), ("Compiled",),
    ),
    (
        "a scaler whose optimizer holds a copy",
        "import copy\nmodel = copy.deepcopy(net)\nscaler = torch.amp.GradScaler('cpu')\n"
        "scaler.scale(model(x).square().mean()).backward()\nscaler.step(opt)\n",
        1, (":12", r"opt, made in train\.py:6", r"model\.0\.weight", "Create the optimizer"), (),
    ),
    (
        "a weight of one divided by itself",
        "gate = nn.Linear(2, 3)\nopt.add_param_group({'params': gate.parameters()})\n"
        "for _ in range(3):\n    opt.zero_grad()\n    w = gate(net(x)).softmax(1).max(1).values\n"
        "    w = w[:, None]\n    w = w / w.sum(1, keepdim=True)\n"
        "    (w * net(x)).square().mean().backward()\n    opt.step()\n",
        1, (r"gate\.weight", "rounding", ":14"), (),
    ),
    (
        "paths that cancel on the way",
        "heat = nn.Parameter(torch.zeros(()))\nopt.add_param_group({'params': [heat]})\n"
        "for _ in range(3):\n    opt.zero_grad()\n    chance = net(x).log_softmax(1)\n"
        "    loss = (heat.exp().detach() * chance).mean() + net(x).square().mean()\n"
        "    (loss - (heat.exp() * (chance + 2)).mean()).backward()\n    opt.step()\n",
        0, ("cancel", "chance", ":13", ":14", "detach"), (),
    ),
    (
        "two matrices of zeros",
        "a, b = (nn.Parameter(torch.zeros(2, 2)) for _ in range(2))\n"
        "opt.add_param_group({'params': [a, b]})\n"
        "for _ in range(3):\n    opt.zero_grad()\n    h = net(x)\n    low = h @ a @ b\n"
        "    (h + low).square().mean().backward()\n    opt.step()\n",
        1, ("both 0", ":13", "random", r"\ba\b"), (),
    ),
    (
        "a bound that is 1 in bfloat16",
        "net, x = net.bfloat16(), x.bfloat16()\nopt = torch.optim.SGD(net.parameters(), 0.1)\n"
        "for _ in range(3):\n    opt.zero_grad()\n    p = (net(x) + 30).sigmoid()\n"
        "    torch.log1p(-p.clamp(max=1 - 1e-6)).mean().backward()\n    opt.step()\n",
        1, (":13", "0.999999, which is 1 in bfloat16", "1e-2"), ("1e-6",),
    ),
    (
        "a variance that overflows",
        "for _ in range(3):\n    opt.zero_grad()\n    log_var = net(x) * 1e3\n"
        "    (log_var.exp() - log_var).mean().backward()\n    opt.step()\n",
        1, ("exp", ":11", "clamp"), ("maximum",),
    ),
    (
        "an average next to a loss of plain numbers",
        "import copy\nslow = copy.deepcopy(net)\nfor _ in range(3):\n    opt.zero_grad()\n"
        "    got, wanted = net(x).tolist(), slow(x).detach()\n"
        "    got = torch.tensor(got, requires_grad=True)\n"
        "    (got - wanted).square().mean().backward()\n    opt.step()\n"
        "    for s, p in zip(slow.parameters(), net.parameters()):\n"
        "        s.data = 0.9 * s.data + 0.1 * p.data\n",
        1, (r"tolist\(\)", ":12", r"net\.0\.weight"), (r"slow\.0", ":18"),
    ),
    (
        "a teacher is no row of the table",
        "import copy\nslow = copy.deepcopy(net)\nfor _ in range(3):\n    opt.zero_grad()\n"
        "    (net(x) - slow(x).detach() - 1).square().mean().backward()\n    opt.step()\n",
        0, ("slow gets no gradient here", "copy of net"), ("none came", r"slow\.0"),
    ),
    (
        "a reversal whose backward is a module's method",
        "class Reverse(nn.Module):\n    def forward(self, x):\n        return x\n"
        "    def backward(self, g):\n        return -g\nnet.append(Reverse())\n" + TURN,
        0, (r"net\.3\.backward", ":11", "never calls", r"autograd\.Function"), (),
    ),
    (
        "a loss as its own upstream gradient",
        f"for _ in range(3):\n    opt.zero_grad()\n    loss = {LOSS}\n    loss.backward(loss)\n"
        "    opt.step()\n",
        1, (":11", "loss itself", "multiplied by loss"), (),
    ),
    (
        "a clamp of the gradient that is thrown away",
        f"for _ in range(3):\n    opt.zero_grad()\n    {LOSS}.backward()\n"
        "    for p in net.parameters():\n        p.grad.data.clamp(-0.1, 0.1)\n    opt.step()\n",
        1, (":12", r"clamp\(-0\.1, 0\.1\)", "nothing reads it", "clamp_"), (),
    ),
    (
        "frozen weights that momentum moves",
        "opt = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)\nfor turn in range(3):\n"
        "    net[0].requires_grad_(turn < 1)\n    opt.zero_grad(set_to_none=False)\n"
        f"    {LOSS}.backward()\n    opt.step()\n",
        1, (":13", r"moves net\.0\.weight, net\.0\.bias", "momentum=0.9", "frozen"), (),
    ),
    (
        "weights read in a block without gradients",
        "first = nn.Linear(4, 4)\nopt.add_param_group({'params': first.parameters()})\n"
        "for _ in range(3):\n    opt.zero_grad()\n    with torch.no_grad():\n"
        "        z = first(x)\n    nn.functional.cross_entropy(net(z), y).backward()\n"
        "    opt.step()\n",
        0, (r"first\.weight", ":13", ":12", "no_grad"), ("no op of",),
    ),
    (
        "probabilities in place of their logarithms",
        f"net.append(nn.Softmax(1))\n{TURN.replace('cross_entropy', 'nll_loss')}",
        0, ("nll_loss", ":11", r"softmax in net\.3", "logarithms"), (),
    ),
    (
        "a penalty that is not in the loss",
        "x.requires_grad_()\nfor _ in range(3):\n    opt.zero_grad()\n"
        "    (slope,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)\n"
        f"    penalty = slope.square().mean()\n    {LOSS}.backward()\n    opt.step()\n",
        0, ("penalty", ":12", "no backward pass reads"), ("sum",),
    ),
    (
        "an advantage that trains the critic",
        "critic = nn.Linear(4, 1)\nopt.add_param_group({'params': critic.parameters()})\n"
        "for _ in range(3):\n    opt.zero_grad()\n"
        "    policy = torch.distributions.Categorical(logits=net(x))\n"
        "    advantage = torch.randn(6) - critic(x)[:, 0]\n"
        "    (-advantage * policy.log_prob(y)).mean().backward()\n    opt.step()\n",
        0, ("advantage", ":13", r"critic\.weight", "detach"), (),
    ),
    (
        "a target that moves with what should meet it",
        "done = torch.tensor([0.0, 0, 1, 0, 0, 1])\nfor _ in range(3):\n    opt.zero_grad()\n"
        "    q = net(x).gather(1, y[:, None]).squeeze(1)\n"
        "    goal = torch.ones(6) + 0.99 * (1 - done) * net(x + 1).max(1)[0]\n"
        "    nn.functional.mse_loss(q, goal).backward()\n    opt.step()\n",
        0, ("goal", ":12", "discounted target for q", r"net\.0\.weight", "no_grad"), (),
    ),
    (
        "a target that is a constant, and two outputs that are compared",
        "for _ in range(3):\n    opt.zero_grad()\n    with torch.no_grad():\n"
        "        goal = torch.ones(6) + 0.99 * net(x + 1).max(1)[0]\n"
        "    alike = nn.functional.mse_loss(net(x), 0.9 * net(x + 1))\n"
        "    (alike + (net(x)[:, 0] - goal).square().mean()).backward()\n    opt.step()\n",
        0, (), ("discounted",),
    ),
    (
        "a result that is changed through its data",
        "for _ in range(3):\n    opt.zero_grad()\n    h = net(x) + 0.0\n    h.data.mul_(0.1)\n"
        "    nn.functional.cross_entropy(h, y).backward()\n    opt.step()\n",
        0, ("mul", ":11", "changes h through .data"), (),
    ),
    (
        "a result that is detached in place",
        "for _ in range(3):\n    opt.zero_grad()\n    h = net[0](x)\n    h.detach_()\n"
        "    net[2](h).square().mean().backward()\n    opt.step()\n",
        1, (r"net\.0\.weight", r"h\.detach_\(\)", ":11"), (),
    ),
    (
        "leftovers of another loss",
        "opts = [opt, torch.optim.SGD(net[2].parameters(), 0.1)]\n"
        "for _ in range(3):\n    for place, opt in enumerate(opts):\n"
        "        loss = net(x).square().mean() if place else net(x).abs().mean()\n"
        "        loss.backward()\n        opt.step()\n        opt.zero_grad()\n",
        1, (r"opt\.step\(\)", "two losses", ":11", r"net\.0\.weight, net\.0\.bias:"), (),
    ),
    (
        "gradients that nothing clears",
        f"for _ in range(9):\n    {LOSS}.backward()\n    opt.step()\n",
        1, (r"Nothing clears the gradients between two calls of opt\.step\(\)", ":10"), ("opaque",),
    ),
    (
        "a step before the backward pass",
        "for _ in range(9):\n    opt.zero_grad()\n    loss = net(x).square().mean()\n"
        "    opt.step()\n    loss.backward()\n",
        1, (r"opt\.step\(\)", ":11", r"runs before backward\(\)"), ("opaque",),
    ),
    (
        "a clip of scaled gradients",
        f"{SCALED}    nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n{SCALED_STEP}",
        1, (":12", "clips gradients that the GradScaler has multiplied by its scale"), ("opaque",),
    ),
    (
        "a clamp of scaled gradients",
        f"{SCALED}    for p in net.parameters():\n        p.grad.data.clamp_(-1, 1)\n{SCALED_STEP}",
        1, (r"p\.grad\.data\.clamp_\(-1, 1\)", ":13", "clips gradients"), ("opaque",),
    ),
    (
        "a step by hand that makes another weight",
        "w = torch.ones(4, requires_grad=True)\nfor _ in range(9):\n"
        "    (x @ w).square().mean().backward()\n    w = w - 0.1 * w.grad\n",
        1, ("w is not a leaf: sub", ":11", "made it"), ("opaque",),
    ),
]  # fmt: skip


def told(script: TraceScript, tmp_path: Path, lines: str) -> Trace:
    (tmp_path / "train.py").write_text(HEAD + lines)
    return script(tmp_path / "train.py")


@pytest.mark.parametrize("lines", CORRECT.values(), ids=CORRECT)
@pytest.mark.filterwarnings("ignore")
def test_a_correct_script_has_no_fault_and_computes_bitwise_what_it_computes_alone(
    lines: str, script: TraceScript, tmp_path: Path
) -> None:
    end = tmp_path / "end.pt"
    save = f"torch.save([*net.parameters(), torch.get_rng_state()], {str(end)!r})\n"
    exec(compile(HEAD + lines + save, str(tmp_path / "train.py"), "exec"), {})
    alone = torch.load(end)
    made = told(script, tmp_path, lines + save)
    assert made.error is None, made.run.said
    assert "No fault was found" in str(made), str(made)
    assert all(map(torch.equal, alone, torch.load(end)))


@pytest.mark.parametrize("row", REPORTS, ids=[row[0] for row in REPORTS])
@pytest.mark.filterwarnings("ignore")
def test_a_fault_or_a_note_names_the_cause_and_its_line(
    row: tuple[str, str, int, tuple[str, ...], tuple[str, ...]], script: TraceScript, tmp_path: Path
) -> None:
    _, lines, faults, says, never = row
    answers(Case("train", faults, says, never=never), told(script, tmp_path, lines))


def test_an_optimizer_without_a_step_is_named_first(script: TraceScript, tmp_path: Path) -> None:
    said = str(told(script, tmp_path, PLAYERS.format(turns=20, step="")))
    first = "No fault was found so far, but last (SGD, made in train.py:9) made no step while the "
    assert f"\n{first}program was watched. Run the doctor with --steps 20. " in said
    assert "\nNo fault was found: each of the 6 leaves" in str(told(script, tmp_path, RARE))


@pytest.mark.parametrize("method", ["gradient", "_enter", "_stepped", "heard", "found"])
def test_an_error_of_the_doctor_is_said_to_be_its_own(
    method: str,
    script: TraceScript,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("of the doctor's own")

    monkeypatch.setattr(Watch, method, fails)
    with pytest.raises(TraceError, match="The doctor itself failed"):
        told(script, tmp_path, TURN + "print('ended')\n")
    said = capsys.readouterr()
    assert said.out == "ended\n"
    assert said.err.count(OURS_FAILED) == 1


@pytest.mark.filterwarnings("ignore")
def test_without_a_gradient_to_look_at_there_is_no_all_clear(
    script: TraceScript, tmp_path: Path
) -> None:
    for lines in ("net(x).sum().item()\n", "sys.exit()\n"):
        made = told(script, tmp_path, lines)
        assert made.status == 2
        assert "Nothing was looked at: train.py ended and no backward pass reached" in str(made)
