"""Characters that look like a program's own and are not: what they are, what to write instead.

People paste from articles, and typesetting turns "-" into "–", quotes into “ ” and "*" into "×".
"""

import unicodedata

_INSTEAD = {
    **dict.fromkeys("–—−‐‑‒﹣－", "-"),
    **dict.fromkeys("×∗⁎✕✖⋅·•∙＊⨯", "*"),
    **dict.fromkeys("÷∕⁄／", "/"),
    **dict.fromkeys("＋﹢", "+"),
    **dict.fromkeys("＝﹦꞊", "="),
    **dict.fromkeys("（﹙❨", "("),
    **dict.fromkeys("）﹚❩", ")"),
    **dict.fromkeys("［【", "["),
    **dict.fromkeys("］】", "]"),
    **dict.fromkeys("，、﹐‚", ","),
    **dict.fromkeys("．。", "."),
    **dict.fromkeys("＜‹〈", "<"),
    **dict.fromkeys("＞›〉", ">"),
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "√": "sqrt(…)",
    "∞": "a large number such as 1e30",
    "π": "3.141592653589793",
    "½": "0.5",
    "¼": "0.25",
    "¾": "0.75",
    "∑": "sum(…)",
    "|": "abs(…)",
}
_POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_QUOTES = "“”„‟«»‘’‛′″`´\"'"
# Letters of other alphabets that nobody can tell from a Latin one.
_LETTERS = dict(
    zip("аеорсухіјѕԁһΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТУХοναιρυχ",
        "aeopcyxijsdhABEZHIKMNOPTYXABEKMHOPCTYXovaipux", strict=True)
)  # fmt: skip
_SPACES = {
    "\u00a0", "\u2002", "\u2003", "\u2009", "\u200a", "\u200b", "\u202f", "\u3000", "\ufeff",
}  # fmt: skip


def unshowable(text: str) -> str:
    """The first control character or lone half of a pair in a line of text, or nothing.

    >>> unshowable("√ – plain"), unshowable("a" + chr(0)) == chr(0)
    ('', True)
    """
    bad = (c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c != "\t")
    return next(bad, "")


def name_of(character: str) -> str:
    """What Unicode calls a character, with its code point.

    >>> name_of("–"), name_of(chr(0))
    ('EN DASH, U+2013', 'a control character, U+0000')
    """
    code = f"U+{ord(character):04X}"
    category = unicodedata.category(character)
    unnamed = {"Cc": "a control character", "Cs": "half a character", "Co": "a private character"}
    name = unicodedata.name(character, unnamed.get(category, "a character without a name"))
    return f"{name}, {code}"


def explain(character: str) -> str:
    """One sentence on a character that no program can hold: its name, and the right one.

    >>> explain("–")
    'This is “–” (EN DASH, U+2013), not “-”. Write -.'
    >>> explain("²")
    'This is “²” (SUPERSCRIPT TWO, U+00B2). Write **2.'
    """
    shown = f"“{character}” " if character.isprintable() and character not in "“”" else ""
    head = f"This is {shown}({name_of(character)})"
    right = _INSTEAD.get(character)
    if right:
        return f"{head}, not “{right}”. Write {right}." if len(right) == 1 else (
            f"{head}. Write {right}."
        )  # fmt: skip
    if character in _POWERS:
        return f"{head}. Write **{_POWERS.index(character)}."
    if character in _QUOTES:
        return f"{head}. A program holds no text in quotes: only names, numbers and calls."
    if character in _SPACES:
        return f"{head}, not a plain space. Write a plain space."
    if character in _LETTERS:
        return f"{head}, not the Latin letter {_LETTERS[character]}. Write {_LETTERS[character]}."
    plain = unicodedata.normalize("NFKC", character)
    if plain != character and plain.isascii() and plain.isprintable() and plain.strip():
        return f"{head}, not “{plain}”. Write {plain}."
    if character.isalpha():
        return f"{head}. Names use the letters a to z, digits and _."
    return f"{head}. It means nothing here."
