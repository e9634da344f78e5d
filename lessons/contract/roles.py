"""The roles a curve can have, and how each looks: one colour, dash and marker a role.

Every page and every exported figure uses these, so a learner learns the colours once.
The hues are Okabe and Ito's colour-blind safe set ("Color Universal Design", 2008), darkened
or lightened until each reads on its own background; a role is also told apart by its dash
and marker, never by colour alone.
"""

from dataclasses import dataclass

from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)


@dataclass(frozen=True)
class Role:
    """The look of one role.

    Args:
        name: what results, figures and JSON call it.
        label: what a learner reads in a legend.
        light: colour on the light background, ``#rrggbb``.
        dark: colour on the dark background, ``#rrggbb``.
        dash: Plotly's name of the line style.
        marker: Plotly's name of the point symbol.
        ticked: whether its curve over x is drawn as ticks, to be seen on any line.
    """

    name: str
    label: str
    light: str
    dark: str
    dash: str
    marker: str
    ticked: bool = False


ROLES: dict[str, Role] = {
    role.name: role
    for role in (
        Role("forward", WORDS("forward"), "#0067a5", "#63b8f0", "solid", "circle"),
        Role("trick_gradient", WORDS("trick_gradient"), "#b84a00", "#ff9a4d", "solid", "diamond"),
        Role("true_gradient", WORDS("true_gradient"), "#00765a", "#35c79a", "dot", "square"),
        Role(
            "intended_gradient",
            WORDS("intended_gradient"),
            "#8c3f8c",
            "#e39be0",
            "dash",
            "x",
            ticked=True,
        ),
        Role("noise", WORDS("noise"), "#5f6470", "#a2a8b5", "solid", "line-ew-open"),
    )
}

GRADIENTS = ("trick_gradient", "true_gradient", "intended_gradient")
"""The roles that are gradients, in the order in which they are told."""

INKS: dict[str, tuple[str, str]] = {
    # name: (light, dark). What is not data: text, grid lines, axes, the paper itself.
    "text": ("#1f2430", "#e8e6e1"),
    "muted": ("#5a6070", "#a7abb8"),
    "grid": ("#e5e3dc", "#2b303b"),
    "axis": ("#8d909a", "#6d7382"),
    "paper": ("#fdfcf9", "#14171d"),
    "panel": ("#f5f3ed", "#1b1f27"),
}
