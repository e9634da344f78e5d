"""What a rule for relu makes of an input gradient: maps, how alike two are, one relu alone."""

import inspect
from collections.abc import Callable

import torch

from lessons.chapters.override_map.guided_relu.net import (
    FRESH,
    LAYERS,
    RELUS,
    Classifiers,
    Networks,
    joined,
    test_pictures,
)
from lessons.chapters.override_map.guided_relu.shapes import KINDS, labels
from lessons.contract.parameters import Values
from lessons.kit.gradients import gradient

Program = Callable[..., torch.Tensor]
"""(x, network, rule, when) to a score, with that rule for each relu on the way back."""

RULES = ("plain", "guided", "deconvnet")

COMPARED = 9
"""Pictures whose maps are compared before and after randomising."""

TEST_EVERY = 5  # steps
COMPARE_EVERY = 50  # steps

BEFORE = (-2.0, -1.0, 1.0, 2.0, -1.5, -0.5, 0.5, 1.5)
"""What eight relus are given."""

BEHIND = (1.0, 0.5, 1.5, 1.0, -1.0, -0.5, -1.5, -1.0)
"""What weighs their outputs in the score: the upstream gradients of the eight relus."""


def layer(behind: str, spelling: str) -> Callable[[torch.Tensor], torch.Tensor]:
    """Eight relus and the score behind them: a weighted sum, or their plain sum."""

    def score(x: torch.Tensor) -> torch.Tensor:
        y = RELUS[spelling](x)
        return (torch.tensor(BEHIND).to(x) * y).sum() if behind == "weights" else y.sum()

    return score


def by_role(
    program: Program, values: Values, device: torch.device, dtype: torch.dtype
) -> dict[str, torch.Tensor]:
    """Eight relus and the gradient of the score at what they are given, each of shape [8].

    Returns:
        forward: what the relus give. trick_gradient: by autograd, under the rule. true_gradient:
        by autograd, without one. intended_gradient: by the rule's formula.
    """
    x = torch.tensor(BEFORE, device=device, dtype=dtype).requires_grad_()
    network = layer(values["behind"], values["spelling"])
    upstream = torch.tensor(BEHIND).to(x) if values["behind"] == "weights" else torch.ones_like(x)
    active = (x > 0).to(x)
    formula = {
        "plain": upstream * active,
        "guided": upstream.clamp(min=0) * active,
        "deconvnet": upstream.clamp(min=0),
    }
    return {
        "forward": torch.relu(x.detach()),
        "trick_gradient": gradient(program(x, network, values["rule"], values["when"]), x),
        "true_gradient": gradient(network(x), x),
        "intended_gradient": formula[values["rule"]].detach(),
    }


def maps(
    program: Program,
    networks: Networks,
    x: torch.Tensor,
    target: torch.Tensor,
    rule: str,
    values: Values,
) -> torch.Tensor:
    """The gradient of each picture's score in the picture, under a rule for relu.

    Args:
        program: the lesson's.
        networks: of one seed or of many.
        x: pictures, shape [count, 1, SIDE, SIDE].
        target: the class whose score it is, shape [count].
        rule: one of ``RULES``.
        values: how relu is written, and when the rule comes.

    Returns:
        shape [seeds, count, SIDE · SIDE].
    """
    x = x.expand(-1, networks.seeds, -1, -1).detach().clone().requires_grad_()
    chosen = target.to(x.device).expand(networks.seeds, 1, -1)

    def score(x: torch.Tensor) -> torch.Tensor:
        return networks.logits(x, values["spelling"]).gather(1, chosen).sum()

    found = gradient(program(x, score, rule, values["when"]), x)
    return found.transpose(0, 1).flatten(2)


def rank_correlation(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Spearman's: 1 the same order, 0 unrelated, −1 the opposite one; over the last dimension.

    Where all numbers of one are equal they have no order, and it is 0.
    """
    return (ranks(first) * ranks(second)).sum(-1)


def ranks(values: torch.Tensor) -> torch.Tensor:
    """The places of numbers among the others, centred, of length 1: float64, on the CPU.

    Equal ones share the middle of their places.
    """
    ordered, order = values.to("cpu", torch.float32).sort(-1)
    place = torch.arange(values.shape[-1], dtype=torch.float64).expand_as(ordered)
    new = torch.ones_like(ordered, dtype=torch.bool)
    new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    first = torch.where(new, place, 0).cummax(-1).values
    ends = torch.roll(new, -1, -1)  # the first one is always new, so the last one always ends
    last = torch.where(ends, place, torch.inf).flip(-1).cummin(-1).values.flip(-1)
    middle = (first + last) / 2
    centred = middle - middle.mean(-1, keepdim=True)
    centred = centred / centred.norm(dim=-1, keepdim=True).clamp(min=1e-9)
    return torch.empty_like(centred).scatter_(-1, order, centred)


def compared(
    program: Program, networks: Networks, others: Networks, x: torch.Tensor, values: Values
) -> dict[str, torch.Tensor]:
    """How alike each rule's maps are to those of the same network, changed. By rule.

    Args:
        networks: as trained.
        others: with the weights that replace theirs.
        x: pictures of ``labels``.

    Returns:
        rank correlations, float64, shape [changes, seeds, count]: the last layers randomised, from
        one to all; then, with no weight changed, the map of the next class's score.
    """
    target = labels(len(x))
    depths = [networks.randomised(others, layers) for layers in range(1 + len(LAYERS))]
    together = joined(depths)
    found = {}
    for rule in RULES:
        each = maps(program, together, x, target, rule, values)
        swapped = maps(program, depths[0], x, (target + 1) % len(KINDS), rule, values)
        own, *changed = ranks(torch.cat([each, swapped])).chunk(len(depths) + 1)
        found[rule] = torch.stack([(own * one).sum(-1) for one in changed])
    return found


class Shapes:
    """The networks in training, tested and compared now and then; what a lab and a file share.

    Args:
        program: the lesson's.
        values: the settings.
        device: where to compute.
        dtype: what to compute in.
    """

    def __init__(
        self, program: Program, values: Values, device: torch.device, dtype: torch.dtype
    ) -> None:
        self.program = inspect.unwrap(program)  # cut in the eight relus' graph, here it is whole
        self.steps = int(values["steps"])
        self.classifiers = Classifiers(values, device, dtype)
        fresh = [seed + FRESH for seed in self.classifiers.seeds]
        self.others = Networks.new(fresh, device, dtype)
        self.pictures = test_pictures(COMPARED, values["noise"]).to(device, dtype)
        self.alike: dict[str, torch.Tensor] = {}
        self._tested = self.classifiers.tested()
        self.compare(0, values)

    @property
    def networks(self) -> Networks:
        return self.classifiers.networks

    def step(self, done: int, values: Values) -> None:
        """One update; test and compare where it is their turn."""
        self.classifiers.step(values)
        last = done + 1 == self.steps
        if last or (done + 1) % TEST_EVERY == 0:
            self._tested = self.classifiers.tested()
        if last or (done + 1) % COMPARE_EVERY == 0:
            self.compare(done + 1, values)

    def compare(self, done: int, values: Values) -> None:
        """Compare the maps of the networks as they are now, after so many steps."""
        self.compared = done
        self.alike = compared(self.program, self.networks, self.others, self.pictures, values)

    def numbers(self) -> dict[str, torch.Tensor]:
        """As last tested and compared, float64 on the CPU, shape [seeds]; of maps the means."""
        found = dict(self._tested)
        found["compared_step"] = torch.full_like(found["loss"], self.compared)
        for rule, alike in self.alike.items():
            *depths, other = alike.mean(2)
            found |= {f"{rule}_{layers}": one for layers, one in enumerate(depths, start=1)}
            found[f"{rule}_other"] = other
        return found
