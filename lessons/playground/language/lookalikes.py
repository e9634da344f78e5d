"""Characters that look like a program's own and are not: what they are, what to write instead.

People paste from articles, and typesetting turns "-" into "–", quotes into “ ” and "*" into "×".
"""

import unicodedata

from lessons.playground.language.words import WORDS

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
