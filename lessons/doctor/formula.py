"""The recorder's rules, LaTeX of a small kind, as MathML, which browsers draw without help."""

import re
from collections.abc import Iterator
from html import escape

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_]|\s+|\d+(?:\.\d+)?(?:e-?\d+)?|.", re.DOTALL)
_SIGNS = {
    "partial": "∂", "cdot": "·", "times": "×", "to": "→", "infty": "∞", "le": "≤", "ge": "≥",
    "neg": "¬", "neq": "≠", "top": "⊤", "pi": "π", "sigma": "σ", "Phi": "Φ", "varphi": "φ",
    "psi": "ψ", "odot": "⊙", "sum": "∑", "lfloor": "⌊", "rfloor": "⌋", "langle": "⟨",
    "rangle": "⟩", "ne": "≠", "lVert": "‖", "rVert": "‖", "Vert": "‖", "mid": "|", "min": "min",
    "max": "max", "in": "∈", "mapsto": "↦", "prod": "∏", "ldots": "…", "dots": "…", "cdots": "⋯",
    "mu": "μ", "textasciicircum": "^", "textasciitilde": "~", "textbackslash": "\\", "alpha": "α",
    "beta": "β", "epsilon": "ε", "varepsilon": "ε", "hat": "^", "ast": "∗", "star": "⋆",
    "overline": "‾", "delta": "δ", "gamma": "γ", "ni": "∋", "circ": "∘", "approx": "≈",
    "leftarrow": "←",
}  # fmt: skip
_LETTERS = frozenset(
    ("delta", "gamma", "pi", "sigma", "Phi", "varphi", "psi", "mu", "alpha", "beta", "epsilon")
)
_WORDS = frozenset(
    ("ln", "cos", "sin", "tan", "log", "exp", "tanh", "sinh", "cosh", "arg", "max", "min")
)
_SPACES = {",": ".17em", ";": ".28em", ":": ".22em", "quad": "1em", "qquad": "2em"}


def mathml(latex: str) -> str:
    r"""The same as a `math` element; nothing for nothing.

    >>> mathml(r"\frac{1}{2}").removeprefix("<math>").removesuffix("</math>")
    '<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>'
    """
    if not latex:
        return ""
    tokens = iter(_TOKEN.findall(latex))
    return f"<math>{_row(tokens)}</math>"


def _row(tokens: Iterator[str]) -> str:
    """What stands up to the closing brace, or the end."""
    parts: list[str] = []
    for token in tokens:
        if token == "}":
            break
        if token in "^_" and parts:
            tag = "msup" if token == "^" else "msub"
            parts[-1] = f"<{tag}>{parts[-1]}{_next(tokens)}</{tag}>"
        elif not token.isspace():
            parts.append(_one(token, tokens))
    return "".join(parts)


def _next(tokens: Iterator[str]) -> str:
    """One argument: a group in braces, or a single sign."""
    for token in tokens:
        if not token.isspace():
            return _one(token, tokens)
    return "<mrow></mrow>"


def _one(token: str, tokens: Iterator[str]) -> str:
    if token == "{":
        return f"<mrow>{_row(tokens)}</mrow>"
    if not token.startswith("\\"):
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        return f"<mo>{escape('−' if token == '-' else token)}</mo>"
    return _command(token[1:], tokens)


def _command(name: str, tokens: Iterator[str]) -> str:
    if name == "frac":
        return f"<mfrac>{_next(tokens)}{_next(tokens)}</mfrac>"
    if name == "sqrt":
        return f"<msqrt>{_next(tokens)}</msqrt>"
    if name in ("bar", "overline", "hat", "tilde"):
        over = {"bar": "‾", "overline": "‾", "hat": "^", "tilde": "~"}[name]
        return f'<mover accent="true">{_next(tokens)}<mo>{over}</mo></mover>'
    if name in ("text", "operatorname", "mathrm", "mathit", "textit"):
        return f"<mtext>{escape(_text(tokens))}</mtext>"
    if name in ("mathbf", "boldsymbol"):
        return f"<mtext><b>{escape(_text(tokens))}</b></mtext>"
    if name in ("left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "limits"):
        return ""
    if name in _SPACES:
        return f'<mspace width="{_SPACES[name]}"></mspace>'
    if name in _WORDS:
        return f"<mi>{name}</mi>"
    sign = _SIGNS.get(name, name)
    return f"<mi>{sign}</mi>" if name in _LETTERS else f"<mo>{escape(sign)}</mo>"


def _text(tokens: Iterator[str]) -> str:
    """The letters of a group, commands in it as what they stand for."""
    found, depth = "", 0
    for token in tokens:
        if token == "{":
            depth += 1
            continue
        if token == "}":
            depth -= 1
            if depth <= 0:
                break
            continue
        found += _SIGNS.get(token[1:], token[1:]) if token.startswith("\\") else token
        if depth == 0:
            break
    return found
