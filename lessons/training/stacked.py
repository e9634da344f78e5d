"""Networks of many seeds as one: each weight carries a leading dimension, one entry a seed.

Points are columns, so that every product is one batched
matrix product: weight [seeds, out, in] times points [seeds, in, points].
"""

import math
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable

import torch

from lessons.tricks.as_one import one_op

WORTH_A_THREAD = 5_000
"""Numbers in the points of all seeds from which on a thread costs less than it saves."""


def drawn_layer(inputs: int, outputs: int, generator: torch.Generator) -> list[torch.Tensor]:
    """Weight and bias of one layer, uniform within ±1/√inputs: float64, on the CPU.

    The numbers are drawn on the CPU in float64 and moved later, so that every device and number
    format starts from the same ones.
    """
    bound = 1 / math.sqrt(inputs)
    shapes = ((outputs, inputs), (outputs, 1))
    return [
        (2 * torch.rand(shape, dtype=torch.float64, generator=generator) - 1) * bound
        for shape in shapes
    ]


def linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """A layer of every seed at its own points: [seeds, in, points] to [seeds, out, points]."""
    return torch.baddbmm(bias, weight, x)


@one_op("cross_entropy", operands=1)
def cross_entropy(
    logit: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None = None
) -> torch.Tensor:
    """Of a logit and a label 0 or 1: the mean over the points, one a seed, shape [..., seeds].

    Args:
        logit: shape [..., seeds, 1, points].
        target: shape [points].
        weight: shape [points], 1 for the points that count and 0 for the others; None: all count.
    """
    loss = torch.nn.functional.softplus(logit) - target * logit
    if weight is None:
        return loss.mean((-2, -1))
    return (loss * weight).sum((-2, -1)) / weight.sum().clamp(min=1)


def accuracy(logit: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """The share of points on the right side of 0, one a seed, shape [..., seeds]; NaN stays NaN."""
    right = ((logit > 0) == (target > 0.5)).to(torch.float64).mean((-2, -1))
    return torch.where(logit.isfinite().all(-1).all(-1), right, torch.nan)


class Adam:
    """Adam on stacked weights (Kingma and Ba, 2015), every entry by itself as always.

    Written out: torch.optim loads torch's compiler and sympy with it, seconds and a hundred
    thousand objects that the app's garbage collection would walk after every message from then on.
    All weights' gradients lie in a row, so that each of Adam's operations is one call, not one a
    weight: with small networks the calls cost more than the numbers.

    Args:
        weights: leaves of one dtype on one device; changed in place.
    """

    MEAN, SQUARE, LEAST = 0.9, 0.999, 1e-8

    def __init__(self, weights: list[torch.Tensor]) -> None:
        self.weights = weights
        self._mean, self._square, self._size = (
            torch.zeros_like(_in_a_row(weights)).detach() for _ in range(3)
        )
        self._means, self._sizes = self._like_weights(self._mean), self._like_weights(self._size)
        self._steps = 0

    def step(self, loss: torch.Tensor, rate: float) -> None:
        """One update, with the gradient of ``loss`` summed over the seeds.

        No seed's loss depends on another's weights, so each gets its own gradient. A loss that
        no weight leads to, every edge to it cut, teaches nothing.
        """
        if not loss.requires_grad:
            return
        gradients = torch.autograd.grad(loss.sum(), self.weights, materialize_grads=True)
        self._steps += 1
        mean_share, square_share = (1 - of**self._steps for of in (self.MEAN, self.SQUARE))
        with torch.no_grad():
            gradient = _in_a_row(gradients)
            self._mean.lerp_(gradient, 1 - self.MEAN)
            self._square.mul_(self.SQUARE).addcmul_(gradient, gradient, value=1 - self.SQUARE)
            torch.sqrt(self._square, out=self._size)
            self._size.div_(math.sqrt(square_share)).add_(self.LEAST)
            torch._foreach_addcdiv_(self.weights, self._means, self._sizes, -rate / mean_share)

    def _like_weights(self, row: torch.Tensor) -> list[torch.Tensor]:
        """Views of a row of numbers in the weights' shapes."""
        parts = torch.split(row, [weight.numel() for weight in self.weights])
        return [part.view_as(one) for part, one in zip(parts, self.weights, strict=True)]


def _in_a_row(tensors: Iterable[torch.Tensor]) -> torch.Tensor:
    return torch.cat([one.reshape(-1) for one in tensors])


def shares(seeds: range, numbers: int, device: torch.device) -> list[range]:
    """The seeds in two halves, where two threads train them sooner than one; else all of them.

    Args:
        seeds: all.
        numbers: how many numbers one seed trains on.
        device: where.
    """
    if device.type != "cpu" or os.cpu_count() == 1 or len(seeds) * numbers < WORTH_A_THREAD:
        return [seeds]
    middle = len(seeds) // 2
    return [one for one in (seeds[:middle], seeds[middle:]) if len(one)]


class Beside:
    """Does tasks beside the caller, one after the other: what shares nothing with the caller's own.

    Torch computes on one thread for each of the app's, so a second one uses a second core. It ends
    with its last task, so that nothing is left of it; and there is never more than one in the
    process, so that two learners do not take every core from the rest: who gets none does the task
    on the spot.
    """

    _helping = threading.Lock()

    def __init__(self) -> None:
        self._tasks: deque[Callable[[], None]] = deque()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._busy = False
        self._error: BaseException | None = None

    def do(self, task: Callable[[], None]) -> None:
        """Do it, now or soon; what it raises is raised by ``wait``, or here if it is done here."""
        with self._guard:
            self._busy = self._busy or self._begins()
            if self._busy:
                self._tasks.append(task)
                return
        task()

    def wait(self) -> None:
        """Until all is done."""
        if error := self.end():
            raise error

    def end(self) -> BaseException | None:
        """As ``wait``, but gives back what was raised."""
        if self._thread:
            self._thread.join()
            self._thread = None
        error, self._error = self._error, None
        return error

    def _begins(self) -> bool:
        """Whether a thread has begun, which waits for the guard."""
        if not self._helping.acquire(blocking=False):
            return False
        self._thread = threading.Thread(target=self._work)
        try:
            self._thread.start()
        except RuntimeError:  # the system gives no more threads
            self._thread = None
            self._helping.release()
            return False
        return True

    def _work(self) -> None:
        while True:
            with self._guard:
                if not self._tasks:
                    self._busy = False
                    self._helping.release()
                    return
                task = self._tasks.popleft()
            try:
                task()
            except BaseException as error:
                with self._guard:
                    self._error = error
                    self._tasks.clear()
