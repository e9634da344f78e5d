"""The actor's loss reads the critic's value: without a stop it trains the critic as well."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.nn.functional import logsigmoid

from lessons.contract.figure import SHORT, Figure, Table
from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Result, Series
from lessons.contract.settings import choice, slider, whole
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import stop_gradient
from lessons.kit.chart_pieces import Measure, Trace, axes, curve, dragged, fitted, points, thin
from lessons.kit.components import component_table
from lessons.kit.experiment import Experiment, Program, Trial, run_of
from lessons.kit.gradients import gradients
from lessons.kit.inputs import ComputedIn, array
from lessons.kit.line_names import NAMES, named
from lessons.kit.titles import brief

WORDS = Words(__file__)


def critic_leak(
    v: torch.Tensor, logit: torch.Tensor, reward: float, weight: float, stop: str
) -> torch.Tensor:
    log_p = torch.nn.functional.logsigmoid(logit)  # of the action taken
    advantage = reward - v
    scale = stop_gradient(advantage) if stop == "yes" else advantage
    actor = -log_p * scale
    critic = weight * advantage**2 / 2
    return actor + critic


# A rate times a weight stays below 2, so the value converges wherever the weight is above 0.
class Settings(ComputedIn):
    v = slider(0.5, -1, 2, 0.05, accepts=(-1000, 1000))
    reward = slider(1, -2, 2, 0.1, accepts=(-1000, 1000))
    stop = choice("no", "yes")
    weight = slider(1, 0, 2, accepts=(0, 2))
    updates = whole(60, 0, 200)
    logit = slider(0, -4, 4, 0.1, accepts=(-50, 50), advanced=True)
    other = slider(0, -2, 2, 0.1, accepts=(-1000, 1000), advanced=True)
    actor_rate = slider(0, 0, 1, accepts=(0, 1), advanced=True)
    rate = slider(0.1, 0, 0.9, accepts=(0, 0.9), advanced=True)


VISIT = {"v": 0.5, "logit": 0.0}
EXAMPLE = Start(
    {name: torch.tensor(v, dtype=torch.float64).requires_grad_() for name, v in VISIT.items()},
    {"reward": 1.0, "weight": 1.0, "stop": "no"},
)
"""The lab's defaults. The facts about the questions are computed at them."""

PAID = (1.0, 0.0)
"""The rewards of both actions in the example."""

RATE, SETTLED = 0.1, 400
"""A learning rate, and the number of updates after which the example's value has settled."""

GUESS = {"guess": 2.0, "target": 1.0, "before": 4.0, "log_p": -3.0}
"""A guess, its target, the distance of the previous guess, and the question's log p."""


def own_gradients(v: torch.Tensor, logit: torch.Tensor, **given: Any) -> list[torch.Tensor]:
    """The gradient that each parameter gets from its own loss alone."""
    leaves = v.requires_grad_(), logit.requires_grad_()
    own = gradients(critic_leak(*leaves, **{**given, "stop": "yes"}), leaves)
    return [one + 0.0 for one in own]  # no −0


Slopes = Callable[..., Sequence[torch.Tensor]]
"""The gradients of value and logit, from values, logits of the actions, rewards and shares."""


def by_autograd(loss: Program) -> Slopes:
    """The slopes of a loss of values, logits and rewards, entry by entry."""

    def slopes(
        v: torch.Tensor, logits: torch.Tensor, paid: torch.Tensor, shares: torch.Tensor
    ) -> Sequence[torch.Tensor]:
        leaves = [one.detach().requires_grad_() for one in (v, logits)]
        return gradients(loss(*leaves, paid), leaves, shares)

    return slopes


def by_formula(
    weight: float,
    v: torch.Tensor,
    logits: torch.Tensor,
    paid: torch.Tensor,
    shares: torch.Tensor,
) -> Sequence[torch.Tensor]:
    """The slopes of each parameter's own loss, by hand: what autograd is compared with."""
    error = paid - v
    return -shares * weight * error, -shares * error * torch.sigmoid(-logits)


def learn(
    slopes: Slopes,
    v: torch.Tensor,
    logit: torch.Tensor,
    rewards: tuple[float, float],
    rates: tuple[float, float],
    updates: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Plain gradient descent on the mean loss over many visits.

    Of the visits, a share of σ(logit) takes action a, the rest action b. Both are computed at once
    and weighted by their shares, so nothing is drawn.

    Args:
        slopes: of the loss.
        v, logit: at first, no dimensions; they stay as they are.
        rewards: of a and of b.
        rates: learning rates of the critic and of the actor.
        updates: how many.

    Returns:
        The value and the mean reward under the policy, before the first update and after each:
        shape [updates + 1].
    """
    v, logit = v.detach(), logit.detach()
    paid, signs = (v.new_tensor(pair) for pair in (rewards, (1.0, -1.0)))
    values, policies = [], []
    for done in range(updates + 1):
        logits = logit * signs  # log σ(−logit) is the log-probability of b
        shares = torch.sigmoid(logits)
        values.append(v)
        policies.append(shares)
        if done < updates:
            to_v, to_logits = slopes(v.expand(2), logits, paid, shares)
            v = v - rates[0] * to_v.sum()
            logit = logit - rates[1] * (to_logits * signs).sum()
    return torch.stack(values), (torch.stack(policies) * paid).sum(1)


def learned(trial: Trial[Settings]) -> Iterator[Series]:
    """The value over some updates with this program and without a leak, and the mean reward."""
    settings, program = trial.settings, trial.program
    rewards, rates = (settings.reward, settings.other), (settings.rate, settings.actor_rate)
    given = (trial.leaf("v"), trial.leaf("logit"), rewards, rates, settings.updates)
    weight, stop = settings.weight, settings.stop
    slopes = by_autograd(lambda v, z, paid: program(v, z, paid, weight, stop))
    yours, mean = learn(slopes, *given)
    own, _ = learn(partial(by_formula, weight), *given)
    when = np.arange(settings.updates + 1, dtype=np.float64)
    yield Series("value", "trick_gradient", when, array(yours))
    yield Series("value_own", "intended_gradient", when, array(own))
    yield Series("mean_reward", "forward", when, array(mean))


def of_one_visit(trial: Trial[Settings]) -> Mapping[str, float]:
    """The loss of one visit, and its gradients for both parameters."""
    settings = trial.settings
    came = trial.roles["trick_gradient"] + 0.0  # no −0
    return {
        "loss": float(trial.roles["forward"]),
        "advantage": settings.reward - settings.v,
        "best": max(settings.reward, settings.other),
        "v_gradient": float(came[0]),
        "v_own_gradient": float(trial.roles["intended_gradient"][0]),
        "logit_gradient": float(came[1]),
    }


EXPERIMENT = Experiment(
    run_of("v", "logit", arguments=("reward", "weight", "stop")),
    plain=lambda **given: critic_leak(**{**given, "stop": "no"}),
    intended=own_gradients,
    curves=learned,
    facts=(of_one_visit,),
    work=lambda settings: WORDS("work", updates=WORDS.counted("updates", settings.updates)),
)


def _example(program: Program) -> Mapping[str, float]:
    """Run the program at the defaults: one visit, and where the value settles."""
    program = inspect.unwrap(program)  # a cut in the graph changes none of these
    v, logit = (leaf.detach() for leaf in EXAMPLE.leaves.values())

    def settled(weight: float) -> float:
        slopes = by_autograd(lambda v, z, paid: program(v, z, paid, weight, "no"))
        return float(learn(slopes, v, logit, PAID, (RATE, 0.0), SETTLED)[0][-1])

    mean, entropy = _policy()
    without_critic = EXPERIMENT.by_role(program, EXAMPLE.with_(weight=0.0))
    return {
        "example_leak": float(without_critic["trick_gradient"][0]),
        "example_log_p": float(logsigmoid(logit)),
        "example_error": float(v) - PAID[0],
        "example_mean": mean,
        "example_best": max(PAID),
        "example_entropy": entropy,
        "example_plus": mean + entropy,
        "example_settled": settled(1.0),
        "example_half_weight": settled(0.5),
    }


def _policy() -> tuple[float, float]:
    """The mean reward and the entropy of the example's policy."""
    logit = EXAMPLE.leaves["logit"].detach()
    shares = torch.sigmoid(torch.stack([logit, -logit]))
    mean = float((shares * shares.new_tensor(PAID)).sum())
    return mean, float(-(shares * shares.log()).sum())


def actor_steps(v: float, logit: float, rewards: tuple[float, float]) -> tuple[float, float]:
    """Mean and standard deviation over visits of the gradient that one visit sends to the logit."""
    signs = torch.tensor([1.0, -1.0], dtype=torch.float64)
    shares = torch.sigmoid(logit * signs)
    given = {"reward": signs.new_tensor(rewards), "weight": 0.0}
    _, slopes = own_gradients(signs.new_tensor(v), logit * signs, **given)
    slopes = slopes * signs  # with respect to the logit of a
    mean = (shares * slopes).sum()
    return float(mean), float((shares * (slopes - mean) ** 2).sum().sqrt())


def _steps_of_the_actor() -> Mapping[str, float]:
    """The actor's gradient over many visits: v is the mean reward (``…_right``), or larger."""
    mean, entropy = _policy()
    share = float(torch.sigmoid(EXAMPLE.leaves["logit"].detach()))
    facts = {
        "visit_leaked": -(1 - share) * (PAID[0] - mean - entropy),
        "visit_other": share * (PAID[1] - mean - entropy),
    }
    for name, v in (("right", mean), ("leaked", mean + entropy)):
        facts[f"step_{name}"], facts[f"spread_{name}"] = actor_steps(v, VISIT["logit"], PAID)
    return facts


def _guess() -> Mapping[str, float]:
    """A guess that is trained by its distance and pays the policy's reward: `GUESS`, gradients."""
    guess = torch.tensor(GUESS["guess"], dtype=torch.float64, requires_grad=True)
    distance = (guess - GUESS["target"]) ** 2
    reward = GUESS["before"] - distance
    (own,) = torch.autograd.grad(distance, guess, retain_graph=True)
    (came,) = torch.autograd.grad(-GUESS["log_p"] * reward + distance, guess)
    return {
        **{f"guess_{name}": value for name, value in GUESS.items()},
        "guess_own": float(own),
        "guess_turned": (1 + GUESS["log_p"]) * float(own),
        "guess_factor": 1 + GUESS["log_p"],
        "guess_came": float(came),
    }


COMPONENTS = (WORDS("critics_v"), WORDS("actors_logit"))

LABELS = {
    "true_gradient": WORDS("no_stop"),
    "trick_gradient": NAMES["trick_gradient"],
    "intended_gradient": WORDS("own_loss"),
}

LINES = {
    "value": ("trick_gradient", WORDS("your_v")),
    "value_own": ("intended_gradient", WORDS("own_loss")),
    "mean_reward": ("forward", WORDS("mean_reward")),
}
"""The role and the name of each curve."""

_BESIDE = 0.06
"""The distance between a first point and its name, when there are no updates."""


def table(result: Result, settings: Settings) -> Table:
    """One row a parameter."""
    return component_table(result, LABELS, COMPONENTS, WORDS("table"))


def _updates(result: Result, settings: Settings) -> Figure:
    """The critic's value and the mean reward over the updates, next to the best reward."""
    curves = {one.name: one for one in result.curves}
    last = {name: float(one.y[-1]) for name, one in curves.items()}
    updates, best = settings.updates, result.number("best")
    end = float(max(updates, 1))
    heights = [*(one.y for one in curves.values()), np.array([best])]
    layout = axes((-0.02 * end, end), fitted(heights), WORDS("update"), WORDS("value_v"))
    pays = "reward" if settings.reward >= settings.other else "other"
    height: Measure = "y"
    level = thin([0.0, end], [best, best], WORDS("best_reward"), "dot")
    level |= {"hovertemplate": WORDS("best_hover"), "hoverinfo": "all"}
    drawn: list[Trace] = [dragged(level, "line", **{pays: height})]
    for name in ("mean_reward", "value", "value_own"):  # all show where they overlap
        role, said = LINES[name]
        line = curve(curves[name])
        line["line"] |= {"width": 6 if name == "mean_reward" else 3}
        line |= {
            "name": said,
            "hovertemplate": WORDS("update_hover", name=said),
        }
        if updates == 0:  # a line of one point would not be seen
            line |= {"mode": "markers", "marker": {"color": f"role:{role}", "size": 9}}
        drawn.append(line)
    start = replace(curves["value_own"], x=np.zeros(1), y=np.array([settings.v]))
    drawn.append(dragged(points(start), "points", v="y") | {"name": WORDS("v_at_first")})
    ends = [(*LINES[name], one.y) for name, one in curves.items()]
    names = named([*ends, ("noise", WORDS("best_reward"), np.array([best]))], layout, SHORT)
    mean = WORDS("mean_reward_is", mean=brief(last["mean_reward"]))
    found = WORDS(
        "updated", updates=WORDS.counted("updates", updates), v=brief(last["value"]), mean=mean
    )
    if updates == 0:  # with no line to the frame, the names go next to the first points
        found = WORDS("starts", v=brief(last["value"]), mean=mean)
        names = [name | {"x": [_BESIDE]} for name in names[:-1]] + names[-1:]
        layout["xaxis"] |= {"range": [-_BESIDE, end], "tickmode": "array", "tickvals": [0]}
    said = ", ".join(f"{LINES[name][1]} {number(last[name], 4)}" for name in curves)
    return Figure(
        "updates",
        found,
        WORDS("updates_caption"),
        WORDS(
            "updates_alt",
            updates=WORDS.counted("updates", updates),
            ends=said,
            best=number(best, 4),
        ),
        [*drawn, *names],
        layout,
        subject=WORDS("updates_subject"),
    )


LESSON = Lesson(
    program=critic_leak,
    lab=EXPERIMENT.lab(WORDS, Settings, table, (_updates,), direct_labels=True),
    facts=(_example, _steps_of_the_actor, _guess),
    highlight="scale = stop_gradient(advantage)",
)
