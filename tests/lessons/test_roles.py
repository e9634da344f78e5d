"""Role colours read on both papers, and can be told apart by people who see fewer colours."""

import itertools
import tomllib
from pathlib import Path

import numpy as np
import pytest

from lessons.contract.roles import INKS, ROLES, Role

# Linear RGB as seen without long, or middle, wavelength cones: Viénot, Brettel, Mollon 1999.
PROTAN = np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]])
DEUTAN = np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]])
NORMAL = np.eye(3)
CURVES = [name for name in ROLES if name != "noise"]


def linear(value: str) -> np.ndarray:
    rgb = np.array([int(value[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    lights = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear sRGB, white D65."""
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    t = np.cbrt((to_xyz @ np.clip(rgb, 0, 1)) / [0.9505, 1.0, 1.089])
    return np.array([116 * t[1] - 16, 500 * (t[0] - t[1]), 200 * (t[1] - t[2])])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("role", ROLES.values(), ids=lambda role: role.name)
def test_a_role_reads_on_paper_and_panel_as_text_too(role: Role, theme: str) -> None:
    side = 0 if theme == "light" else 1
    for ground in ("paper", "panel"):
        assert contrast(getattr(role, theme), INKS[ground][side]) >= 4.5


@pytest.mark.parametrize("side", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ink", ["text", "muted"])
def test_inks_read_on_paper_and_panel(ink: str, side: int) -> None:
    for ground in ("paper", "panel"):
        assert contrast(INKS[ink][side], INKS[ground][side]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("eye", [NORMAL, PROTAN, DEUTAN], ids=["normal", "protan", "deutan"])
def test_curves_differ_by_colour_or_by_dash_and_marker(eye: np.ndarray, theme: str) -> None:
    for one, other in itertools.combinations(CURVES, 2):
        a, b = (lab(eye @ linear(getattr(ROLES[name], theme))) for name in (one, other))
        drawn_alike = ROLES[one].dash == ROLES[other].dash
        assert np.linalg.norm(a - b) > 20 or not drawn_alike, (one, other)
        assert ROLES[one].marker != ROLES[other].marker


def test_the_theme_file_has_the_same_paper_and_ink() -> None:
    with (Path(__file__).parents[2] / ".streamlit" / "config.toml").open("rb") as file:
        theme = tomllib.load(file)["theme"]
    for side, name in enumerate(("light", "dark")):
        assert theme[name]["backgroundColor"] == INKS["paper"][side]
        assert theme[name]["secondaryBackgroundColor"] == INKS["panel"][side]
        assert theme[name]["textColor"] == INKS["text"][side]
