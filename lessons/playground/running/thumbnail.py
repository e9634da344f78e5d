"""A document's value and gradient over its plotted range, as a small picture."""

from collections.abc import Sequence

import numpy as np

from lessons.contract.result import Array, Series
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document
from lessons.playground.running.budget import Budget, Plan
from lessons.playground.running.sweep import sweep

WIDTH, HEIGHT = 64, 32
_PLAN = Plan(points=33, draws=1, at_once=33)


def thumbnail(document: Document) -> list[str]:
    """Draw the line y = 0, the value and the gradient as paths of SVG, in a box of this size.

    Each curve has a scale of its own, since their sizes may differ by powers of ten; 0 is at the
    same height for both. Noise is drawn once.

    Raises:
        PlaygroundError: it can't run.
    """
    curves = {one.name: one for one in sweep(check(document), _PLAN, Budget())}
    both = [curves["forward"], curves["trick_gradient"]]
    shares = [_scaled(one.y) for one in both]
    low = min(np.nanmin(one, initial=0.0) for one in shares)
    high = max(np.nanmax(one, initial=0.0) for one in shares)
    unit = (HEIGHT - 2) / (high - low or 1.0)
    zero = f"M0 {high * unit + 1:.1f}H{WIDTH}"
    return [zero, *(_path(one, (high - y) * unit + 1) for one, y in zip(both, shares, strict=True))]


def _scaled(y: Array) -> Array:
    """The numbers as shares of the largest; none where they aren't finite."""
    kept = np.where(np.isfinite(y), y, np.nan)
    return kept / (np.nanmax(np.abs(kept), initial=0.0) or 1.0)


def _path(curve: Series, y: Sequence[float] | Array) -> str:
    x = (curve.x - curve.x[0]) / (curve.x[-1] - curve.x[0]) * WIDTH
    drawn, pen = [], "M"
    for across, down in zip(x, y, strict=True):
        if np.isnan(down):
            pen = "M"
            continue
        drawn.append(f"{pen}{across:.0f} {down:.1f}")
        pen = "L"
    return "".join(drawn)
