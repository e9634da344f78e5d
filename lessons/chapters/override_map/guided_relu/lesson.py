"""A rule for every relu of a network that was trained without it.

Small convolutional networks of several seeds in training, and the gradients of their scores in a
picture under three rules for relu; what a rule does to one relu, at eight relus by themselves.
"""

import inspect
from collections.abc import Callable
from functools import lru_cache

import torch

from lessons.chapters.override_map.guided_relu.figures import CHARTS, static_table, table
from lessons.chapters.override_map.guided_relu.net import (
    BEFORE,
    BEHIND,
    FRESH,
    KINDS,
    RELUS,
    RULES,
    SIDE,
    STREAMS,
    TESTED,
    Networks,
    Program,
    Settings,
    compared,
    entropy,
    joined,
    labels,
    maps,
    pictures,
    test_pictures,
    upstream_of,
)
from lessons.contract.devices import device_and_dtype
from lessons.contract.lab import Lab, Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Result, warned
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

WORDS = Words(__file__)

BATCH = 32
"""New pictures at each step, for each seed its own."""

COMPARED = 9
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
        self.networks = Networks.new(list(self.seeds), *self._to)
        self.others = Networks.new([seed + FRESH for seed in self.seeds], *self._to)
        self.streams = [torch.Generator().manual_seed(seed + STREAMS) for seed in self.seeds]
        self._adam = Adam(self.networks.weights)
        self._tested = self._test(settings)
        self._compare(settings)

    def step(self, done: int, settings: Settings) -> None:
        """One update, on pictures not seen before; tests and compares where it is their turn."""
        parts = [pictures(BATCH, settings.noise, stream) for stream in self.streams]
        logits = self.networks.logits(torch.stack(parts, 1).to(*self._to), settings.spelling)
        self._adam.step(entropy(logits, labels(BATCH)), settings.rate)
        done += 1
        last = done == settings.steps
        if last or done % TEST_EVERY == 0:
            self._tested = self._test(settings)
        if last or done % COMPARE_EVERY == 0:
            self._compare(settings)

    def numbers(self, settings: Settings) -> dict[str, torch.Tensor]:
        """As last tested and compared, float64 on the CPU, shape [seeds]; of maps the means."""
        if self._as != settings.spelling:
            self._compare(settings)
        found = dict(self._tested)
        for rule, each in self._alike.items():
            *depths, other = each.mean(2)
            found |= {f"{rule}_{layers}": one for layers, one in enumerate(depths, start=1)}
            found[f"{rule}_other"] = other
        return found

    def picture(self, index: int, settings: Settings) -> dict[str, Array]:
        """One seed's maps of one picture, before and after randomising, and what all give."""
        own = self.networks.of_seed(index)
        changed = own.randomised(self.others.of_seed(index), settings.randomised)
        pair = joined([own, changed])
        kind = KINDS.index(settings.shape)
        place = len(KINDS) * (settings.picture - 1) + kind
        x = test_pictures(TESTED, settings.noise)[place : place + 1].to(*self._to)
        found = {}
        for rule in RULES:
            both = maps(self.program, pair, x, torch.tensor([kind]), rule, settings.spelling)[:, 0]
            found[rule] = array(both).reshape(2, SIDE, SIDE)
        with torch.no_grad():
            shares = own.logits(x, settings.spelling)[0, :, 0].softmax(0)
        return found | {"pixels": array(x[0, 0]), "shares": array(shares)}

    @torch.no_grad()
    def _test(self, settings: Settings) -> dict[str, torch.Tensor]:
        """Accuracy and loss on the test pictures, float64 on the CPU, shape [seeds]."""
        x = test_pictures(TESTED, settings.noise).to(*self._to)
        logits = self.networks.logits(x.expand(-1, len(self.seeds), -1, -1), "relu")
        known = logits.isfinite().all(2).all(1).cpu()
        right = (logits.argmax(1).cpu() == labels(TESTED)).to(torch.float64).mean(1)
        loss = entropy(logits, labels(TESTED)).to("cpu", torch.float64)
        return {"accuracy": torch.where(known, right, torch.nan), "loss": loss}

    def _compare(self, settings: Settings) -> None:
        """Compare the maps of the networks as they are now."""
        self._as = settings.spelling
        x = test_pictures(COMPARED, settings.noise).to(*self._to)
        self._alike = compared(self.program, self.networks, self.others, x, settings.spelling)


def layer(behind: str, spelling: str) -> Callable[[torch.Tensor], torch.Tensor]:
    """Eight relus and the score behind them: a weighted sum, or their plain sum."""

    def score(x: torch.Tensor) -> torch.Tensor:
        y = RELUS[spelling](x)
        return (torch.tensor(BEHIND).to(x) * y).sum() if behind == "weights" else y.sum()

    return score


def eight_relus(settings: Settings) -> Start:
    """The score of eight relus by themselves."""
    device, dtype = device_and_dtype(settings)
    x = torch.tensor(BEFORE, device=device, dtype=dtype).requires_grad_()
    network = layer(settings.behind, settings.spelling)
    return Start({"x": x}, {"network": network, "rule": settings.rule}, (settings.point - 1,))


def by_role(program: Program, settings: Settings) -> dict[str, torch.Tensor]:
    """Eight relus and the gradient of the score at what they are given, each of shape [8].

    Returns:
        forward: what the relus give. trick_gradient: by autograd, under the rule. true_gradient:
        by autograd, without one. intended_gradient: by the rule's formula.
    """
    start = eight_relus(settings)
    x = start.leaves["x"]
    upstream = torch.tensor(upstream_of(settings)).to(x)
    active = (x > 0).to(x)
    formula = {
        "plain": upstream * active,
        "guided": upstream.clamp(min=0) * active,
        "deconvnet": upstream.clamp(min=0),
    }
    return {
        "forward": torch.relu(x.detach()),
        "trick_gradient": gradient(start.call(program), x),
        "true_gradient": gradient(start.arguments["network"](x), x),
        "intended_gradient": formula[settings.rule].detach(),
    }


def compute(program: Program, settings: Settings) -> Result:
    """Compute the part that needs no training: the rule's effect on eight relus."""
    whole = inspect.unwrap(program)  # edges cut in the eight relus' graph are whole in the networks
    roles = by_role(program, settings)
    series = components(roles)
    place, words = settings.point - 1, missed(settings.spelling)
    return Result(
        series=series,
        facts={
            **{role: float(line.y[place]) for role, line in zip(roles, series, strict=True)},
            **_beliefs(whole, settings),
        },
        notes=warned(words and WORDS("same_maps", why=words)),
        work=counted_seeds(settings),
    )


def _beliefs(program: Program, settings: Settings) -> dict[str, float | str]:
    """In how many of the eight relus the guided gradient is not the plain one; what is missed."""

    def differ(behind: str) -> int:
        given = settings | {"rule": "guided", "spelling": "relu", "behind": behind}
        roles = by_role(program, given)
        return int((roles["trick_gradient"] != roles["true_gradient"]).sum())

    return {
        "differ_weights": differ("weights"),
        "differ_sum": differ("sum"),
        "missed": missed("clamp"),
    }


def two_pixels(program: Program) -> dict[str, float | str]:
    """Two hidden units, and two last layers that weigh them: how alike the gradients are."""
    program = inspect.unwrap(program)  # edges cut in the eight relus' graph are whole here
    rows = torch.tensor([[2.0, 1.0], [1.0, 2.0]], dtype=torch.float64)
    pixels = torch.ones(2, dtype=torch.float64)

    def gradient_of(last: tuple[float, float], rule: str) -> torch.Tensor:
        x = pixels.clone().requires_grad_()

        def score(x: torch.Tensor) -> torch.Tensor:
            return (torch.tensor(last).to(x) * torch.relu(rows @ x)).sum()

        return gradient(program(x, score, rule), x)

    def cosine(rule: str) -> float:
        before, after = (gradient_of(last, rule) for last in lasts)
        return torch.cosine_similarity(before, after, dim=0).item()

    lasts = (2.0, -1.0), (1.0, -2.0)
    before, after = (
        "(" + ", ".join(number(part, 3) for part in gradient_of(last, "plain").tolist()) + ")"
        for last in lasts
    )
    return {
        "plain_before": before,
        "plain_after": after,
        "cosine_came": cosine("guided"),
        "cosine_guided": 1.0,
        "cosine_plain": cosine("plain"),
        "cosine_units": torch.cosine_similarity(rows[0], rows[1], dim=0).item(),
    }


@lru_cache(maxsize=8)
def missed(spelling: str) -> str:
    """The engine's warning if the networks' relu is of another type; else empty."""
    networks = Networks.new([0], torch.device("cpu"), torch.float32)
    x = test_pictures(1, 0.0)
    with gradient_override_map({}) as report:
        networks.logits(x, spelling)
    return "" if report.ran["relu"] else unmatched("Relu", ["relu"], report.ran)


def seconds(settings: Settings) -> float:
    """About how long it takes to look at the untrained networks, for each seed."""
    return 0.01 + (0.02 if settings.dtype == "float64" else 0.015) * settings.seeds


LAB = Lab(
    words=WORDS,
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
    facts=(two_pixels,),
    highlight='with gradient_override_map({"Relu": relu}, warn=False):',
)
