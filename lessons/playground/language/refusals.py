"""What the language does not have, by the name a learner knows it by."""

import ast

from lessons.playground.language.functions import CALLABLE
from lessons.playground.language.limits import MAX_NAME
from lessons.playground.language.words import WORDS, by_name

OF_KEYWORDS = by_name("keyword")
"""Answers to Python's keywords, for those that have a substitute here or need a reason."""

OF_SIGNS = {
    "%": WORDS("no_modulo"),
    "//": WORDS("no_floor_division"),
    "^": WORDS("no_xor"),
    "|": WORDS("no_bar"),
    "&": WORDS("no_ampersand"),
    ":=": WORDS("no_walrus"),
    ":": WORDS("no_colon"),
    ";": WORDS("no_semicolon"),
    "\\": WORDS("no_backslash"),
    **dict.fromkeys(("{", "}"), WORDS("no_braces")),
    "!": WORDS("no_exclamation_mark"),
}
"""Answers to signs that the language does not have."""

_NODES: dict[type[ast.AST], str] = {
    ast.Subscript: WORDS("no_index"),
    ast.Tuple: WORDS("no_tuple"),
    ast.Starred: WORDS("star"),
}

OUR_NAMES = ("torch", "input", "uniform", "normal", "show", "gradient_override_map")
"""What a text calls besides the functions of its program."""


def no_name(name: str) -> str:
    """Say that a name is too long, or that a function has it; empty for any other name."""
    if len(name) > MAX_NAME:
        return WORDS("long_name", count=len(name), most=MAX_NAME)
    return WORDS("name_of_a_function", name=name) if name in (*CALLABLE, *OUR_NAMES) else ""


def not_in_language(node: ast.AST) -> str:
    """Refuse a piece of Python that scan.py lets through."""
    what = str(node.value) if isinstance(node, ast.Constant) else type(node).__name__
    return _NODES.get(type(node)) or WORDS("not_in_language", what=what)
