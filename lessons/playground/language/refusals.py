"""What the language does not have, by the name a learner knows it by, or by its character.

People paste from articles, and typesetting turns "-" into "–", quotes into “ ” and "*" into "×".
"""

import ast
import unicodedata

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
"""Names that a text may use besides its program's functions."""


def no_name(name: str) -> str:
    """Say that a name is too long, or that a function has it; empty for any other name."""
    if len(name) > MAX_NAME:
        return WORDS("long_name", count=len(name), most=MAX_NAME)
    return WORDS("name_of_a_function", name=name) if name in (*CALLABLE, *OUR_NAMES) else ""


def not_in_language(node: ast.AST) -> str:
    """Refuse a piece of Python that scan.py lets through."""
    what = str(node.value) if isinstance(node, ast.Constant) else type(node).__name__
    return _NODES.get(type(node)) or WORDS("not_in_language", what=what)


_INSTEAD = {
    **dict.fromkeys("–—−‐‑", "-"),
    **dict.fromkeys("×∗⋅·•", "*"),
    **dict.fromkeys("÷⁄", "/"),
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "√": "sqrt(…)",
    "∞": "1e30",
    "π": "3.141592653589793",
}
_QUOTES = "„′″´`\"'"
# Cyrillic letters that nobody can tell from a Latin one.
_LETTERS = dict(zip("аеорсухАВЕКМНОРСТУХ", "aeopcyxABEKMHOPCTYX", strict=True))


def unshowable(text: str) -> str:
    """The first control character or lone half of a pair in a line of text, or nothing.

    >>> unshowable("√ – plain"), unshowable("a" + chr(0)) == chr(0)
    ('', True)
    """
    bad = (c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c != "\t")
    return next(bad, "")


def explain(character: str) -> str:
    """One sentence on a character that no program can hold: its name, and the right one.

    >>> explain("–")
    'This is “–” (EN DASH, U+2013). Write -.'
    >>> explain("²")
    'This is “²” (SUPERSCRIPT TWO, U+00B2). Write **2.'
    """
    name = unicodedata.name(character, WORDS("nameless_character"))
    it = f"{name}, U+{ord(character):04X}"
    it = f"“{character}” ({it})" if character.isprintable() and character not in "“”" else it
    plain, category = unicodedata.normalize("NFKC", character), unicodedata.category(character)
    if "SUPERSCRIPT" in name and plain.isdigit():
        plain = f"**{plain}"
    if category in ("Pi", "Pf") or character in _QUOTES:
        return WORDS("no_quotes", it=it)
    if category in ("Zs", "Cf"):
        return WORDS("plain_space", it=it)
    if character in _LETTERS:
        return WORDS("latin_letter", it=it, right=_LETTERS[character])
    right = _INSTEAD.get(character, plain if plain != character and plain.isascii() else "")
    if right.strip() and right.isprintable():
        return WORDS("write_instead", it=it, right=right)
    return WORDS("other_letter", it=it) if character.isalpha() else WORDS("means_nothing", it=it)
