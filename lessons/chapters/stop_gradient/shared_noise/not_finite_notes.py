"""Names every NaN and infinity of the noise lab, and says where it comes from."""

from collections.abc import Iterator

import torch

from lessons.contract.result import Note
from lessons.kit.causes import notes_on_not_finite
from lessons.kit.experiment import Roles
from lessons.kit.spread import Spread
from lessons.text import number


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
        (
            y.isinf(),
            "x² is too large for this number format and becomes ∞; what follows is ∞ or NaN.",
        ),
        (
            x == 0,
            "√ has slope ∞ at 0 and x² has slope 0 there: the chain rule multiplies them, "
            "and ∞ · 0 is NaN. The forward value is 0.",
        ),
        (
            (y == 0) & (x != 0),
            "x² is too small for this number format and becomes 0, where √ has slope ∞.",
        ),
        (u < 0, "u is negative, and √ of a negative number is NaN."),
        (u == 0, "u is 0, and at 0 the slope of √ is ∞."),
    ]
    yield from notes_on_not_finite("x", given, roles, causes)
    for role in ("forward", "trick_gradient"):
        spread = spreads[role]
        left_out = spread.not_finite
        if bool((left_out > 0).any()):
            worst = int(left_out.argmax())
            name = "forward value" if role == "forward" else "gradient"
            # The value of a finite x² is not finite where its noise is negative, and only there.
            negative = role == "forward" and bool(y[worst].isfinite())
            yield Note(
                "warning",
                f"At x = {number(float(given[worst]))} the {name} is NaN or infinite in "
                f"{int(left_out[worst]):,} of {spread.draws:,} draws"
                f"{', where u is negative' if negative else ''}. "
                "The mean and the band use the other draws.",
            )
    some, drawn = along["forward"].draws, spreads["forward"].draws
    if some < drawn:
        yield Note("info", f"The curves use the first {some:,} draws; the rest uses all {drawn:,}.")
    error = max(spread.error for spread in (*spreads.values(), *along.values()))
    if error:
        yield Note(
            "info",
            f"With this many draws the percentiles are estimated, to within {error:.1g}. "
            "The means use every draw.",
        )
