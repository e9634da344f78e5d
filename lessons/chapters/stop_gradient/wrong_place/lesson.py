"""Stop_gradient around the noise, and the gradient is still noisy."""

import torch

from lessons.chapters.stop_gradient.shared_noise.answers import formulas, which_formula
from lessons.chapters.stop_gradient.shared_noise.lab import LAB
from lessons.contract.lesson import Lesson
from lessons.contract.sketch import Sketch
from lessons.tricks import stop_gradient


def wrong_place(x: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    y = x**2
    yu = y * u
    yu_fixed = stop_gradient(yu - y) + y
    return torch.sqrt(yu_fixed)


LESSON = Lesson(
    program=wrong_place,
    lab=LAB,
    predictions={"gradient": which_formula},
    sketches={
        "gradient": Sketch(
            beliefs=lambda x, facts: formulas(x, float(facts["u"])),
            x=(-2.4, -1.8, -1.2, -0.6, 0.6, 1.2, 1.8, 2.4),
            low=-3.0,
            high=3.0,
            near=0.45,
            label="dz/dx",
        )
    },
    highlight="yu_fixed = stop_gradient(yu - y) + y",
)
