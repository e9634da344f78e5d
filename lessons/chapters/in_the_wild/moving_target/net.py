"""Two small tasks whose values are learned from sampled steps, and where the training rests.

A value is linear in features of a state: a table has one weight a state. The walk is that of
Sutton and Barto (2018), example 6.2; the two states that share a weight are those of their
section 11.2, after Tsitsiklis and Van Roy (1997). All seeds are one batch.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from lessons.contract.devices import device_and_dtype
from lessons.contract.parameters import Values
from lessons.contract.result import Array
from lessons.training.by_seed import BySeed, arrays
from lessons.tricks.as_one import one_op

STATES = 5
"""Of the walk."""

BATCH = 64
"""Sampled steps in one update."""

Program = Callable[..., torch.Tensor]
"""The lesson's: weights, features of both states, reward, discount, stop; a loss a seed."""


@one_op("value_of", operands=1)
def value_of(w: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """Values of states: weights [..., weights], features [..., weights, states]; [..., states]."""
    return (w.unsqueeze(-2) @ features).squeeze(-2)


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

    def off(self, w: torch.Tensor, true: torch.Tensor) -> float:
        """How far the values of these weights are from the true ones: root mean square."""
        return float((w @ self.states - true).square().mean().sqrt())


def task_of(values: Mapping[str, Any]) -> Task:
    """The task with these settings."""
    discount = float(values["discount"])
    if values["task"] == "two":
        one = torch.ones(1, 1, dtype=torch.float64)
        states = torch.tensor([[1.0, 2.0]], dtype=torch.float64)
        return Task(one[0], one, 2 * one, 0 * one[0], states, discount)
    right = float(values["chance"])
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
    """Where it rests if each sample has two next states, drawn independently; of the walk.

    The product of both errors has the squared mean error of a state as its mean, and its
    gradient the gradient of that (Baird, 1995).
    """
    ahead = task.discount * task.there - task.here
    by_state = task.here * task.often * STATES  # [states, steps], rows sum to 1
    matrix, reward = by_state @ ahead.mT, by_state @ task.reward
    weights: torch.Tensor = torch.linalg.pinv(matrix.mT @ matrix) @ -(matrix.mT @ reward)
    return weights


class Learners(BySeed):
    """Every seed's weights in two arms, from the same start and on the same sampled steps.

    The arm ``trick`` is as set, the arm ``plain`` has no stop, whatever is set or cut.

    Args:
        program: the lesson's.
        values: the settings.
    """

    def __init__(self, program: Program, values: Values) -> None:
        super().__init__(values)
        device, dtype = device_and_dtype(values)
        self.task = task_of(values)
        self._programs = {"trick": program, "plain": inspect.unwrap(program)}
        self._drawn = [torch.Generator().manual_seed(seed) for seed in self.seeds]
        count = len(self.task.states)
        start = torch.stack(
            [torch.rand(count, dtype=torch.float64, generator=one) for one in self._drawn]
        ).to(device, dtype)
        self.weights = {name: start.clone().requires_grad_() for name in self._programs}
        self._parts = [
            part.to(device, dtype) for part in (self.task.here, self.task.there, self.task.reward)
        ]
        self._true = self.task.true()
        rests = {stop: self.task.rests(stop) @ self.task.states for stop in (True, False)}
        still = {"stopped_rests": rests[True], "open_rests": rests[False], "true": self._true}
        self._still = arrays(still)

    def step(self, done: int, values: Values) -> None:
        """One plain gradient step of both arms."""
        steps = torch.stack([sampled(self.task, one) for one in self._drawn])
        here, there = (part[:, steps].movedim(0, 1) for part in self._parts[:2])
        reward = self._parts[2][steps]
        for name, w in self.weights.items():
            stop = name == "trick" and values["target"] == "stopped"
            discount = self.task.discount
            loss = self._programs[name](w, here, there, reward, discount=discount, stop=stop)
            if loss.requires_grad:  # not if every path to it is cut
                slope = torch.autograd.grad(loss.sum(), w, materialize_grads=True)[0]
                with torch.no_grad():
                    w -= float(values["rate"]) * slope

    @torch.no_grad()
    def numbers(self, values: Values) -> dict[str, torch.Tensor]:
        """Distance from the true values, expected loss, middle state's value; [seeds], float64."""
        found: dict[str, torch.Tensor] = {}
        for name, worth in self.worth().items():
            w = self.weights[name].to("cpu", torch.float64)
            found |= {
                f"{name}_off": (worth - self._true).square().mean(-1).sqrt(),
                f"{name}_loss": self.task.loss(w),
                f"{name}_middle": worth[:, worth.shape[1] // 2],
            }
        return found

    def picture(self, index: int, values: Values) -> dict[str, Array]:
        """The values of all seeds, of the one that is drawn, as they are and where they rest."""
        worth = arrays(self.worth())
        return worth | {f"{name}_shown": one[index] for name, one in worth.items()} | self._still

    @torch.no_grad()
    def worth(self) -> dict[str, torch.Tensor]:
        """The value of each state by arm, [seeds, states], float64 on the CPU."""
        return {
            name: w.detach().to("cpu", torch.float64) @ self.task.states
            for name, w in self.weights.items()
        }


def sampled(task: Task, generator: torch.Generator) -> torch.Tensor:
    """Which steps are in the next batch, [BATCH]."""
    drawn = torch.rand(BATCH, dtype=torch.float64, generator=generator)
    return torch.bucketize(drawn, task.often.cumsum(0), right=True).clamp(max=len(task.often) - 1)
