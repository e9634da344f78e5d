"""One pair of views by itself: gradients by role, at features and a predictor of fixed numbers.

The numbers follow a formula where the training draws its weights, so that the file to take home
has the same. The program that runs on them is the one that is trained, op by op.
"""

import inspect
import math

import torch

from lessons.chapters.in_the_wild.collapse.net import FEATURES, Predictor, Program, itself
from lessons.contract.parameters import Values
from lessons.kit.gradients import gradient
from lessons.tricks.as_one import one_op

INNER = 6
"""Units between the predictor's two layers."""


def by_formula(first: int, *shape: int) -> torch.Tensor:
    """Numbers from −1 to 1, float64: what multiples of the golden ratio have after the point.

    Args:
        first: the first multiple.
        shape: of the result.
    """
    multiples = torch.arange(first, first + math.prod(shape), dtype=torch.float64)
    return (2 * (multiples * (math.sqrt(5) - 1) / 2 % 1) - 1).reshape(shape)


def features_of_pair() -> tuple[torch.Tensor, torch.Tensor]:
    """The features of two views of one input, float64, [FEATURES, 1] each."""
    one = by_formula(1, FEATURES, 1)
    return one, one + by_formula(1 + FEATURES, FEATURES, 1)


class FixedPredictor:
    """Two layers without biases, of fixed numbers; one op, as in training.

    Args:
        like: where and in what it computes.
    """

    def __init__(self, like: torch.Tensor) -> None:
        first = 1 + 2 * FEATURES
        self.inner = by_formula(first, INNER, FEATURES).to(like)
        self.outer = by_formula(first + INNER * FEATURES, FEATURES, INNER).to(like)
        self.predictor = one_op("predictor")(self._predict)  # its only operand: the features

    def _predict(self, features: torch.Tensor) -> torch.Tensor:
        """[FEATURES, 1] to the same."""
        return self.outer @ torch.relu(self.inner @ features)

    def back(self, features: torch.Tensor, upstream: torch.Tensor) -> torch.Tensor:
        """The gradient at its input, layer by layer by hand."""
        return self.inner.T @ ((self.outer.T @ upstream) * (self.inner @ features > 0))


def settings_of_pair(fixed: FixedPredictor, values: Values) -> dict[str, Predictor | bool]:
    """What the program takes besides the features."""
    predictor = fixed.predictor if values["head"] == "network" else itself
    return {"predictor": predictor, "stop": values["target"] == "stopped"}


def by_role(
    program: Program, values: Values, device: torch.device, dtype: torch.dtype
) -> dict[str, torch.Tensor]:
    """The first view's features and the gradient of the loss at them, shape [FEATURES].

    Returns:
        forward: the features. trick_gradient: by autograd, as set. true_gradient: by autograd,
        without a stop. intended_gradient: through the prediction alone, by formula.
    """
    one, two = (view.to(device, dtype) for view in features_of_pair())
    fixed = FixedPredictor(one)
    settings = settings_of_pair(fixed, values)

    def at_first_view(program: Program, stop: bool) -> torch.Tensor:
        leaf = one.clone().requires_grad_()
        return gradient(program(leaf, two, settings["predictor"], stop), leaf)

    roles = {
        "forward": one,
        "trick_gradient": at_first_view(program, values["target"] == "stopped"),
        "true_gradient": at_first_view(inspect.unwrap(program), False),
        "intended_gradient": through_the_prediction(values).to(one),
    }
    return {name: role[:, 0] for name, role in roles.items()}


def through_the_prediction(values: Values) -> torch.Tensor:
    """The gradient at the first view with the targets held still, by formula; float64."""
    one, two = features_of_pair()
    if values["head"] == "none":
        return -of_cosine(one, two) / 2
    fixed = FixedPredictor(one)
    return -fixed.back(one, of_cosine(fixed.predictor(one), two)) / 2


def of_cosine(one: torch.Tensor, two: torch.Tensor) -> torch.Tensor:
    """The gradient of the cosine similarity by its first argument, by formula; [FEATURES, 1]."""
    along, other = one / one.norm(), two / two.norm()
    slope: torch.Tensor = (other - (along * other).sum() * along) / one.norm()
    return slope


def kept_without_predictor(program: Program) -> float:
    """The part of the gradient that a stop leaves where there is no predictor, by length."""
    one, two = features_of_pair()
    slopes = []
    for stop in (True, False):
        leaf = one.clone().requires_grad_()
        slopes.append(gradient(program(leaf, two, itself, stop), leaf))
    return float(slopes[0].norm() / slopes[1].norm())
