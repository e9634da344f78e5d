"""The site's CSS: the colours of lessons.contract.roles as variables, then style.css."""

from functools import cache
from pathlib import Path

from lessons.contract.roles import INKS, ROLES


@cache
def css() -> str:
    """All of it, as text. ``light-dark()`` follows the theme that Streamlit shows."""
    pairs = {f"role-{role.name}": (role.light, role.dark) for role in ROLES.values()}
    pairs |= {f"ink-{name}": pair for name, pair in INKS.items()}
    variables = "".join(
        f"--{name}: light-dark({light}, {dark});" for name, (light, dark) in pairs.items()
    )
    rules = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    return f".stApp {{ {variables} }}\n{rules}"
