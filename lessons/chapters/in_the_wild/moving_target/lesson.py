"""Values learned from values: the target with a stop, and without.

Two small tasks, whose values are learned from sampled steps. A value is linear in features of a
state: a table has one weight a state. The walk is that of Sutton and Barto (2018), example 6.2; the
two states that share a weight are those of their section 11.2, after Tsitsiklis and Van Roy (1997).
All seeds are one batch.
"""

import inspect
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import ParameterList

from lessons.contract.devices import device_and_dtype
from lessons.contract.figure import HIGHEST, Figure, Table
from lessons.contract.history import History
from lessons.contract.lab import Start
from lessons.contract.lesson import Lesson
from lessons.contract.result import Array, Result, Series
from lessons.contract.settings import choice, slider
from lessons.contract.training import Training
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.gradient_tricks.tricks import stop_gradient
from lessons.gradient_tricks.tricks.as_one import one_op
from lessons.kit.chart_pieces import axes, fitted, points
from lessons.kit.components import component_table
from lessons.kit.experiment import Experiment, Program, Trial
from lessons.kit.gradients import gradient
from lessons.kit.inputs import ComputedInFloat32, golden
from lessons.kit.line_names import NAMES
from lessons.training import settings as training
from lessons.training.by_seed import TwoArms, arrays
from lessons.training.settings import counted_seeds
from lessons.training.stacked import Descent, Draws
from lessons.training.step_charts import (
    arms_table,
    banded,
    final_means,
    line,
    lines_of,
    over_seeds,
    powers_axes,
    step_chart,
)

WORDS = Words(__file__)

STATES, MIDDLE = 5, 3
"""States of the walk; the one whose step the graph shows, 1 for the first."""

BATCH = 64
"""Sampled steps in one update."""


@one_op("value_of", operands=1)
def value_of(w: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """Values of states: weights [..., weights], features [..., weights, states]; [..., states]."""
    return (w.unsqueeze(-2) @ features).squeeze(-2)


def td_loss(
    w: torch.Tensor,
    here: torch.Tensor,
    there: torch.Tensor,
    reward: torch.Tensor | float,
    discount: float,
    stop: bool,
) -> torch.Tensor:
    value = value_of(w, here)
    next_value = value_of(w, there)
    target = discount * next_value + reward
    if stop:
        target = stop_gradient(target)
    error = target - value
    return error.square().mean(-1)


class Settings(ComputedInFloat32):
    target = choice("stopped", "open", in_run="steps")
    task = choice("walk", "two")
    chance = slider(0.5, 0, 1, accepts=(0, 1))
    discount = slider(0.9, 0, 1, accepts=(0, 1))
    seeds = training.seeds(8, 32)
    shown = training.seed_drawn(32)
    steps = training.steps(600, 3000)
    rate = training.rate(0.25, (0.01, 1), 0.01)
    seed = training.first_seed()


@dataclass(frozen=True)
class Task:
    """Steps from state to state, as often as they are sampled. All float64, on the CPU.

    Args:
        often: probability of each step, [steps].
        here, there: features of the state it begins and ends in, [weights, steps]; zeros where
            it ends the episode.
        reward: of each, [steps].
        states: features of the states that values are shown of, [weights, states].
        discount: the factor of the next state's value.
    """

    often: torch.Tensor
    here: torch.Tensor
    there: torch.Tensor
    reward: torch.Tensor
    states: torch.Tensor
    discount: float

    def true(self) -> torch.Tensor:
        """The values as they are, [states]: reward to come, from the task's own equation.

        In the table a weight is a value; the two states never meet a reward.
        """
        if len(self.states) == 1:
            return torch.zeros(self.states.shape[1], dtype=torch.float64)
        return self.rests(stop=True)

    def rests(self, stop: bool) -> torch.Tensor:
        """The weights at which the expected gradient is 0, [weights]; the shortest such ones."""
        ahead = self.discount * self.there - self.here
        along = self.here if stop else ahead
        matrix = (self.often * along) @ ahead.mT
        wanted = -(self.often * along) @ self.reward
        weights: torch.Tensor = torch.linalg.pinv(matrix) @ wanted
        return weights

    def loss(self, w: torch.Tensor) -> torch.Tensor:
        """Expected squared error of a sampled step, at weights [..., weights]; [...]."""
        ahead = self.discount * self.there - self.here
        error: torch.Tensor = w @ ahead + self.reward
        return (error.square() * self.often).sum(-1)

    def rms_error(self, w: torch.Tensor, true: torch.Tensor) -> float:
        """The root mean square error of these weights' values, with respect to the true ones."""
        return float((w @ self.states - true).square().mean().sqrt())


def task_of(settings: Settings) -> Task:
    """The task with these settings."""
    discount = settings.discount
    if settings.task == "two":
        one = torch.ones(1, 1, dtype=torch.float64)
        states = torch.tensor([[1.0, 2.0]], dtype=torch.float64)
        return Task(one[0], one, 2 * one, 0 * one[0], states, discount)
    right = settings.chance
    table = torch.eye(STATES, dtype=torch.float64)
    ends = torch.zeros(STATES, 1, dtype=torch.float64)
    row = torch.cat([ends, table, ends], 1)  # both ends of the walk have value 0
    here = torch.cat([table, table], 1)
    there = torch.cat([row[:, :-2], row[:, 2:]], 1)  # a step to the left, a step to the right
    often = torch.tensor([1 - right, right], dtype=torch.float64).repeat_interleave(STATES)
    reward = torch.zeros(2 * STATES, dtype=torch.float64)
    reward[-1] = 1.0  # for leaving at the right
    return Task(often / STATES, here, there, reward, table, discount)


def two_next_states(task: Task) -> torch.Tensor:
    """The values where the walk's training rests if each sample has two independent next states.

    The product of both errors has the squared mean error of a state as its mean, and its
    gradient the gradient of that (Baird, 1995).
    """
    ahead = task.discount * task.there - task.here
    by_state = task.here * task.often * STATES  # [states, steps], rows sum to 1
    matrix, reward = by_state @ ahead.mT, by_state @ task.reward
    weights: torch.Tensor = torch.linalg.pinv(matrix.mT @ matrix) @ -(matrix.mT @ reward)
    return weights


class Learners(TwoArms[ParameterList, Settings]):
    """Every seed's weights in two arms, on the same sampled steps; ``plain`` has no stop."""

    optimizer = Descent

    def begin(self, settings: Settings) -> ParameterList:
        self.task = task = task_of(settings)
        self._parts = [part.to(self.like) for part in (task.here, task.there, task.reward)]
        self._true = task.true()
        lowest = task.rests(stop=False) @ task.states
        self._still = arrays({"lowest": lowest, "true": self._true})
        return ParameterList([self.draws.uniform(len(task.states))])

    def step(self, done: int, settings: Settings) -> None:
        """One plain gradient step of both arms."""
        self._sampled = sampled(self.task, self.draws)
        super().step(done, settings)

    def loss(self, name: str, done: int, settings: Settings) -> torch.Tensor:
        here, there = (part[:, self._sampled].movedim(0, 1) for part in self._parts[:2])
        loss: torch.Tensor = self.programs[name](
            self.arms[name][0],
            here,
            there,
            self._parts[2][self._sampled],
            discount=self.task.discount,
            stop=name == "trick" and settings.target == "stopped",
        )
        return loss

    def numbers(self, settings: Settings) -> dict[str, torch.Tensor]:
        """Distance from the true values, expected loss, middle state's value; [seeds], float64."""
        found: dict[str, torch.Tensor] = {}
        for name, worth in self.values_by_arm().items():
            found |= {
                f"{name}_off": (worth - self._true).square().mean(-1).sqrt(),
                f"{name}_loss": self.task.loss(self.arms[name][0].to("cpu", torch.float64)),
                f"{name}_middle": worth[:, worth.shape[1] // 2],
            }
        return found

    def picture(self, index: int, settings: Settings) -> dict[str, Array]:
        """The values of all seeds, of the one that is drawn, as they are and where they rest."""
        worth = arrays(self.values_by_arm())
        return worth | {f"{name}_shown": one[index] for name, one in worth.items()} | self._still

    def values_by_arm(self) -> dict[str, torch.Tensor]:
        """The value of each state by arm, [seeds, states], float64 on the CPU."""
        return {
            name: arm[0].to("cpu", torch.float64) @ self.task.states
            for name, arm in self.arms.items()
        }


def sampled(task: Task, draws: Draws) -> torch.Tensor:
    """Draw the steps of the next batch, [seeds, BATCH]."""
    often = task.often.cumsum(0)
    return torch.bucketize(draws.uniform(BATCH), often, right=True).clamp(max=len(often) - 1)


def one_step(settings: Settings) -> Start:
    """The loss of one step, at weights of fixed numbers.

    In the walk it goes to the right, from the middle state.
    """
    task, two = task_of(settings), settings.task == "two"
    w = golden(1, 1 if two else STATES).to(*device_and_dtype(settings)).requires_grad_()
    at = 0 if two else STATES + MIDDLE - 1
    arguments = {
        "here": task.here[:, at : at + 1].to(w),
        "there": task.there[:, at : at + 1].to(w),
        "reward": float(task.reward[at]),
        "discount": task.discount,
        "stop": settings.target == "stopped",
    }
    return Start({"w": w}, arguments, (min(MIDDLE, len(w) - 1),))  # the next state's


def target_held_still(
    w: torch.Tensor,
    here: torch.Tensor,
    there: torch.Tensor,
    reward: float,
    discount: float,
    stop: bool,
) -> torch.Tensor:
    """The formula of one step's gradient through the first state's value alone."""
    error = discount * (w @ there[:, 0]) + reward - w @ here[:, 0]
    return -2 * error * here[:, 0]


def factors(program: Program, discount: float, rate: float) -> dict[str, float]:
    """The factor of one step on the weight that two states share, with a stop and without."""
    task = task_of(Settings.read({"task": "two"}) | {"discount": discount})
    found = {}
    for name, stop in (("stopped", True), ("open", False)):
        w = torch.ones(1, dtype=torch.float64, requires_grad=True)
        loss = program(w, task.here, task.there, task.reward, discount=discount, stop=stop)
        found[f"factor_{name}"] = float(1 - rate * gradient(loss, w))
    return found


def rests(trial: Trial[Settings]) -> dict[str, float]:
    """The gradients of one step for both of its states' weights, and where the training rests."""
    settings, came = trial.settings, trial.roles["trick_gradient"]
    here = min(MIDDLE, len(came)) - 1
    after = min(here + 1, len(came) - 1)
    task = task_of(settings)
    true = task.true()
    rests = {name: task.rests(name == "stopped") for name in ("stopped", "open")}
    whole = inspect.unwrap(trial.program)  # what is cut in the graph changes none of these facts
    return {
        "own_gradient": float(came[here]),
        "next_gradient": float(came[after]),
        **{f"{name}_rests_off": task.rms_error(w, true) for name, w in rests.items()},
        **{f"{name}_rests_loss": float(task.loss(w)) for name, w in rests.items()},
        **factors(whole, settings.discount, settings.rate),
    }


EXPERIMENT = Experiment(
    one_step,
    lambda **given: td_loss(**{**given, "stop": False}),
    target_held_still,
    value="w",
    facts=(rests,),
    work=lambda settings: WORDS("work", seeds=counted_seeds(settings)),
)


ARMS = {"trick": ("trick_gradient", WORDS("as_set")), "plain": ("true_gradient", WORDS("no_stop"))}

_LOWEST_POWER = -8
"""The lowest power of ten that is drawn: below it there is rounding alone."""


def table(history: History, settings: Settings) -> Table:
    """Both arms as they stand: mean over the seeds, lowest and highest seed."""
    measures = {
        "off": WORDS("distance_row"),
        "loss": WORDS("mean_squared_error"),
        "middle": WORDS("value_of", which=_which(settings)),
    }
    return arms_table(history, measures, ARMS)


def _which(settings: Settings) -> str:
    """The state whose value stands for all."""
    return WORDS("second_state") if settings.task == "two" else WORDS("middle_state")


def _values(history: History, settings: Settings) -> Figure:
    """The value of each state in both trainings, next to the true one."""
    picture = history.latest.picture
    true = picture["true"]
    x = np.arange(1.0, 1 + len(true))
    # Where a training rests is not drawn before it runs: a question may ask for it.
    lowest = picture["lowest"] if history.done else np.full(len(true), np.nan)
    layout = axes(
        (0.8, len(true) + 0.2),
        fitted([true, lowest, picture["trick"], picture["plain"]], 0.1),
        WORDS("state"),
        WORDS("value"),
    )
    layout["xaxis"] |= {"dtick": 1}
    seeds = [over_seeds(x, picture[arm].T, role) for arm, (role, _) in ARMS.items()]
    shown = [Series(role, role, x, picture[f"{arm}_shown"]) for arm, (role, _) in ARMS.items()]
    middle = len(true) // 2
    data = [
        line(WORDS("true_values"), x, true, "ink:text", "solid", 1.5),
        line(WORDS("lowest"), x, lowest, "ink:muted", "dash", 2),
        *banded(seeds, [called for _, called in ARMS.values()], layout),
        *(points(one) | {"hovertemplate": WORDS("state_hover")} for one in shown),
    ]
    return WORDS.chart(
        "values",
        data,
        layout,
        HIGHEST,
        which=_which(settings).capitalize(),
        found=final_means(history, lines_of(ARMS, "middle"), 3),
        seed=int(picture["seed"][0]),
        done=history.done,
        true=number(float(true[middle]), 3),
    )


def _distances(history: History, settings: Settings) -> Figure:
    lines = lines_of(ARMS, "off")
    layout = powers_axes(history, lines, WORDS("distance"), _LOWEST_POWER)
    return step_chart(WORDS, "off", history, lines, layout)


def static_table(result: Result, settings: Settings) -> Table:
    """Weight by weight: value and gradients."""
    labels = {"forward": WORDS("weight"), "trick_gradient": NAMES["trick_gradient"]}
    labels |= {"true_gradient": WORDS("no_stop"), "intended_gradient": NAMES["intended_gradient"]}
    names = [str(index + 1) for index in range(len(result["forward"].x))]
    return component_table(result, labels, names, WORDS("static_table"), WORDS("state"), 4)


LAB = EXPERIMENT.lab(
    WORDS,
    Settings,
    static_table,
    training=Training(Learners, (_values, _distances), table, cuts=True),
)


def nearer_to_the_true_values(result: Result) -> str:
    """Grade which of the two trainings rests nearer to the true values."""
    stopped, plain = result.numbers("stopped_rests_off", "open_rests_off")
    if abs(stopped - plain) < 1e-6:
        return "same"
    return "stopped" if stopped < plain else "open"


def where_it_rests(result: Result) -> str:
    """Grade whether the training without a stop rests at the true values too."""
    return "true" if result.number("open_rests_off") < 1e-6 else "off"


def how_it_goes(result: Result) -> str:
    """Grade the factor of one step on the weight, with the stop: above 1, below it, or just 1."""
    factor = abs(result.number("factor_stopped"))
    return "grows" if factor > 1.001 else "falls" if factor < 0.999 else "stays"


def two_next_states_by_rest() -> dict[str, float]:
    """Distances from the true values at rest, with one sampled next state and with two."""
    task = task_of(Settings.read({}))
    true = task.true()
    one, two = (task.rms_error(w, true) for w in (task.rests(stop=False), two_next_states(task)))
    return {"one_next_off": one, "two_next_off": two, "twice_off": 2 * one}


LESSON = Lesson(
    program=td_loss,
    lab=LAB,
    predictions={
        "nearer": nearer_to_the_true_values,
        "certain": where_it_rests,
        "two": how_it_goes,
    },
    highlight="stop_gradient(target)",
    facts=(two_next_states_by_rest,),
)
