"""Names every NaN and infinity of the noise lab, and says where it comes from."""

from collections.abc import Iterator

import torch

from lessons.chapters.stop_gradient.shared_noise.stats import Spread
from lessons.contract.result import Note
from lessons.contract.words import Words
from lessons.gradient_tricks.text import number
from lessons.kit.experiment import Roles
from lessons.kit.nan_notes import notes_on_not_finite

WORDS = Words(__file__)


def notes(
    given: torch.Tensor,
    x: torch.Tensor,
    u: torch.Tensor,
    roles: Roles,
    spreads: dict[str, Spread],
    along: dict[str, Spread],
) -> Iterator[Note]:
    """One note for each cause found at the learner's x, then what the bands leave out.

    Args:
        given: x as the learner wrote it, float64, shape [n].
        x, u: the same and the noise, as computed with.
        roles: values by role at x.
        spreads: over the draws, at x.
        along: the same at the points of the curves, which may have fewer draws.
    """
    y = x**2
    causes = [
        (y.isinf(), WORDS("square_too_large")),
        (x == 0, WORDS("slope_at_0")),
        ((y == 0) & (x != 0), WORDS("square_too_small")),
        (u < 0, WORDS("negative")),
        (u == 0, WORDS("zero")),
    ]
    yield from notes_on_not_finite("x", given, roles, causes)
    for role in ("forward", "trick_gradient"):
        spread = spreads[role]
        left_out = spread.not_finite
        if bool((left_out > 0).any()):
            worst = int(left_out.argmax())
            # The value of a finite x² is not finite where its noise is negative, and only there.
            negative = role == "forward" and bool(y[worst].isfinite())
            where = {
                "x": number(float(given[worst])),
                "some": int(left_out[worst]),
                "all": spread.draws,
            }
            if role != "forward":
                yield Note("warning", WORDS("gradient_lost", **where))
            elif negative:
                yield Note("warning", WORDS("negative_lost", **where))
            else:
                yield Note("warning", WORDS("value_lost", **where))
    some, drawn = along["forward"].draws, spreads["forward"].draws
    if some < drawn:
        yield Note("info", WORDS("curves_of", some=some, all=drawn))
