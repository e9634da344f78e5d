"""What the cliff's charts share: how each descent looks, and the paths in words."""

from lessons.chapters.clipping.cliff.recurrent import Window
from lessons.contract.result import Result
from lessons.contract.roles import ROLES
from lessons.text import number

HEIGHT = 400

# Each arm's role, and its name; drawn in this order. The roles are those of lesson 1.
LOOKS = {
    "none": ("true_gradient", "no clipping"),
    "value": ("trick_gradient", "by value"),
    "norm": ("intended_gradient", "by norm"),
}
ROLE_OF = {arm: role for arm, (role, _) in LOOKS.items()}


_STROKES = {"dot": "┈┈", "solid": "━━", "dash": "╍╍"}


def stroked(arm: str) -> str:
    """The name of a descent, after a piece of its line."""
    role, name = LOOKS[arm]
    return f"{_STROKES[ROLES[role].dash]} {name}"


def spanned(window: Window) -> str:
    """The window in words."""
    ends = zip("wb", window, strict=True)
    return " and ".join(f"{n} from {number(low)} to {number(high)}" for n, (low, high) in ends)


def in_words(result: Result) -> str:
    """The three paths in words."""
    parts = []
    for arm, (_, name) in LOOKS.items():
        update = result.facts[f"{arm}_left_at"]
        went = f"leaves the window at update {update}" if update else "stays in the window"
        parts.append(f"{name}: {went}, error {number(float(result.facts[f'{arm}_error']), 3)}")
    w, b = (number(float(v), 4) for v in result.planes["places"][0, :, 0])
    return f"From w {w}, b {b}, at the end: {'; '.join(parts)}."
