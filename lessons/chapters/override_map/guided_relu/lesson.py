"""A rule for every relu of a network that was trained without it.

Small convolutional networks of several seeds in training, and the gradients of their scores in a
picture under three rules for relu; what a rule does to one relu, at eight relus by themselves.
"""

import inspect
from collections.abc import Callable

import torch
from torch.nn.functional import cross_entropy

from lessons.chapters.override_map.guided_relu.figures import CHARTS, static_table, table
from lessons.chapters.override_map.guided_relu.net import (
    FRESH_SEEDS,
    KINDS,
    RELU_INPUTS,
    RULES,
    SIDE,
    STREAMS,
    TEST_PICTURES,
    WEIGHTS,
    Networks,
    Program,
    Settings,
    compared,
    joined,
    labels,
    maps,
    pictures,
    unseen_pictures,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Facts, Result
from lessons.contract.training import Training
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import gradient_override_map
from lessons.gradient_tricks.tricks.entry import unmatched
from lessons.gradient_tricks.tricks.rule import Op
from lessons.kit.answers import which
from lessons.kit.experiment import components
from lessons.kit.gradients import gradient
from lessons.kit.inputs import array
from lessons.training.by_seed import BySeed
from lessons.training.settings import counted_seeds
from lessons.training.stacked import Adam
from lessons.training.under_way import numbers_at_end

BATCH = 32
"""New pictures at each step, for each seed its own."""

COMPARED_PICTURES = 9
"""Pictures whose maps are compared before and after randomising."""

TEST_EVERY, COMPARE_EVERY = 5, 50
"""Steps from one test to the next, and from one comparison of maps to the next."""


def guided_relu(
    x: torch.Tensor, network: Callable[[torch.Tensor], torch.Tensor], rule: str
) -> torch.Tensor:
    def guided(op: Op, upstream: torch.Tensor) -> torch.Tensor:
        return torch.where(op.outputs[0] > 0, upstream.clamp(min=0), 0.0)

    def deconvnet(op: Op, upstream: torch.Tensor) -> torch.Tensor:
        return upstream.clamp(min=0)

    relu = {"plain": "Relu", "guided": guided, "deconvnet": deconvnet}[rule]
    with gradient_override_map({"Relu": relu}, warn=False):  # for each relu that runs in the block
        return network(x)


class Shapes(BySeed[Settings]):
    """The networks of all seeds in training, tested and compared now and then.

    Maps are of one seed, numbers of all.

    Args:
        program: the lesson's; cut in the eight relus' graph, it is whole here.
        settings: the settings.
    """

    def __init__(self, program: Program, settings: Settings) -> None:
        super().__init__(settings)
        self._to = device_and_dtype(settings)
        self.program = inspect.unwrap(program)
        self.networks = Networks.new(self.seeds, *self._to)
        self.others = Networks.new((seed + FRESH_SEEDS for seed in self.seeds), *self._to)
        self.streams = [torch.Generator().manual_seed(seed + STREAMS) for seed in self.seeds]
        self._adam = Adam(self.networks.weights)
        self._accuracy = self._test()
        self._alike = self._compare()

    def step(self, done: int, settings: Settings) -> None:
        """One update, on pictures not seen before; tests and compares where it is their turn."""
        parts = [pictures(BATCH, stream) for stream in self.streams]
        logits = self.networks.logits(torch.stack(parts, 1).to(*self._to))
        target = labels(BATCH).to(logits.device).expand(len(logits), -1)
        self._adam.step(cross_entropy(logits, target, reduction="none").mean(1), settings.rate)
        done += 1
        last = done == settings.steps
        if last or done % TEST_EVERY == 0:
            self._accuracy = self._test()
        if last or done % COMPARE_EVERY == 0:
            self._alike = self._compare()

    def numbers(self, settings: Settings) -> dict[str, torch.Tensor]:
        """As last tested and compared, float64 on the CPU, shape [seeds]; of maps the means."""
        found = {"accuracy": self._accuracy}
        for rule, each in self._alike.items():  # guided_2: with 2 layers randomised
            found |= {f"{rule}_{layers}": one for layers, one in enumerate(each.mean(2))}
        return found

    def picture(self, index: int, settings: Settings) -> dict[str, Array]:
        """One seed's maps of one picture, before and after randomising, and what all give."""
        own = self.networks.of_seed(index)
        pair = joined([own, own.randomised(self.others.of_seed(index), settings.randomised)])
        kind = KINDS.index(settings.shape)
        x = unseen_pictures(TEST_PICTURES)[kind : kind + 1].to(*self._to)
        found = {}
        for rule in RULES:
            both = maps(self.program, pair, x, torch.tensor([kind]), rule)[:, 0]
            found[rule] = array(both).reshape(2, SIDE, SIDE)
        with torch.no_grad():
            shares = own.logits(x)[0, :, 0].softmax(0)
        return found | {"pixels": array(x[0, 0]), "shares": array(shares)}

    @torch.no_grad()
    def _test(self) -> torch.Tensor:
        """Accuracy on the test pictures, float64 on the CPU, shape [seeds]."""
        x = unseen_pictures(TEST_PICTURES).to(*self._to)
        logits = self.networks.logits(x.expand(-1, len(self.seeds), -1, -1))
        known = logits.isfinite().all(2).all(1).cpu()
        right = (logits.argmax(1).cpu() == labels(TEST_PICTURES)).to(torch.float64).mean(1)
        return torch.where(known, right, torch.nan)

    def _compare(self) -> dict[str, torch.Tensor]:
        """Compare the maps of the networks as they are now."""
        x = unseen_pictures(COMPARED_PICTURES).to(*self._to)
        return compared(self.program, self.networks, self.others, x)


def eight_relus(settings: Settings) -> Start:
    """The score of eight relus by themselves: a weighted sum, or their plain sum."""
    device, dtype = device_and_dtype(settings)
    x = torch.tensor(RELU_INPUTS, device=device, dtype=dtype).requires_grad_()

    def network(x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x)
        return (torch.tensor(WEIGHTS).to(x) * y).sum() if settings.behind == "weights" else y.sum()

    return Start({"x": x}, {"network": network, "rule": settings.rule}, (settings.point - 1,))


def by_role(program: Program, settings: Settings) -> dict[str, torch.Tensor]:
    """Eight relus and the gradient of the score at what they are given, each of shape [8].

    Returns:
        forward: what the relus give. trick_gradient: by autograd, under the rule. true_gradient:
        by autograd, without one. intended_gradient: by the rule's formula.
    """
    start = eight_relus(settings)
    x, network = start.leaves["x"], start.arguments["network"]
    upstream = torch.tensor(WEIGHTS).to(x) if settings.behind == "weights" else torch.ones_like(x)
    active = (x > 0).to(x)
    formula = {
        "plain": upstream * active,
        "guided": upstream.clamp(min=0) * active,
        "deconvnet": upstream.clamp(min=0),
    }
    return {
        "forward": torch.relu(x.detach()),
        "trick_gradient": gradient(start.call(program), x),
        "true_gradient": gradient(network(x), x),
        "intended_gradient": formula[settings.rule].detach(),
    }


def compute(program: Program, settings: Settings) -> Result:
    """Compute the part that needs no training: the rule's effect on eight relus."""
    series = components(by_role(program, settings))
    facts = {line.name: float(line.y[settings.point - 1]) for line in series}
    return Result(series, facts=facts, work=counted_seeds(settings))


def differing(program: Program) -> Facts:
    """In how many of the eight relus the guided gradient is not the plain one."""

    def differ(behind: str) -> int:
        given = Settings.read({"rule": "guided", "behind": behind})
        roles = by_role(inspect.unwrap(program), given)
        return int((roles["trick_gradient"] != roles["true_gradient"]).sum())

    return {"differ_weights": differ("weights"), "differ_sum": differ("sum")}


def two_pixels(program: Program) -> Facts:
    """Two hidden units, and two last layers that weigh them: how alike the gradients are."""
    rows = torch.tensor([[2.0, 1.0], [1.0, 2.0]], dtype=torch.float64)

    def gradient_of(last: tuple[float, float], rule: str) -> torch.Tensor:
        x = torch.ones(2, dtype=torch.float64, requires_grad=True)

        def score(x: torch.Tensor) -> torch.Tensor:
            return (torch.tensor(last).to(x) * torch.relu(rows @ x)).sum()

        # Edges cut in the eight relus' graph are whole here.
        return gradient(inspect.unwrap(program)(x, score, rule), x)

    def cosine(one: torch.Tensor, other: torch.Tensor) -> float:
        return torch.cosine_similarity(one, other, dim=0).item()

    lasts = (2.0, -1.0), (1.0, -2.0)
    plain, guided = ([gradient_of(last, rule) for last in lasts] for rule in ("plain", "guided"))
    before, after = ([number(part, 3) for part in one.tolist()] for one in plain)
    return {
        "plain_before": f"({', '.join(before)})",
        "plain_after": f"({', '.join(after)})",
        "cosine_came": cosine(*guided),
        "cosine_guided": 1.0,
        "cosine_plain": cosine(*plain),
        "cosine_units": cosine(rows[0], rows[1]),
    }


def missed() -> Facts:
    """The engine's warning if the networks' relu is written as a clamp."""
    networks = Networks.new([0], torch.device("cpu"), torch.float32)
    x = unseen_pictures(1)
    with gradient_override_map({}) as report:
        networks.logits(x, lambda x: x.clamp(min=0))
    return {"missed": unmatched("Relu", ["relu"], report.ran)}


def seconds(settings: Settings) -> float:
    """About how long it takes to look at the untrained networks, for each seed."""
    return 0.01 + (0.02 if settings.dtype == "float64" else 0.015) * settings.seeds


LAB = Lab(
    words=Words(__file__),
    settings=Settings,
    compute=compute,
    table=static_table,
    seconds=seconds,
    start=eight_relus,
    training=Training(Shapes, CHARTS, table),
)


def never_differs(result: Result) -> str:
    """Grade what makes a guided relu's gradient differ from a relu's."""
    if result.facts["differ_sum"]:
        return "inputs"
    return "signs" if result.facts["differ_weights"] else "never"


def who_notices(result: Result, program: Callable[..., torch.Tensor] = guided_relu) -> str:
    """Whose map becomes another one when the last layer is randomised."""
    ends = numbers_at_end(LAB, program, seeds="2", steps="75")
    plain, guided = (ends[f"{rule}_1"] < 0.5 for rule in ("plain", "guided"))
    return which(plain=plain, guided=guided)


LESSON = Lesson(
    program=guided_relu,
    lab=LAB,
    predictions={"equal": never_differs, "random": who_notices},
    facts=(differing, two_pixels, missed),
    highlight='with gradient_override_map({"Relu": relu}, warn=False):',
)
