"""Characters that look like a program's own and are not: what they are, what to write instead.

People paste from articles, and typesetting turns "-" into "–", quotes into “ ” and "*" into "×".
"""

import unicodedata

from lessons.playground.language.words import WORDS

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
    "∞": "1e30",
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
    unnamed = {
        "Cc": WORDS("control_character"),
        "Cs": WORDS("half_a_character"),
        "Co": WORDS("private_character"),
    }.get(category, WORDS("nameless_character"))
    return f"{unicodedata.name(character, unnamed)}, {code}"


def explain(character: str) -> str:
    """One sentence on a character that no program can hold: its name, and the right one.

    >>> explain("–")
    'This is “–” (EN DASH, U+2013). Write -.'
    >>> explain("²")
    'This is “²” (SUPERSCRIPT TWO, U+00B2). Write **2.'
    """
    printable = character.isprintable() and character not in "“”"
    it = f"“{character}” ({name_of(character)})" if printable else name_of(character)
    plain = unicodedata.normalize("NFKC", character)
    if right := _INSTEAD.get(character):
        return WORDS("write_instead", it=it, right=right)
    if character in _POWERS:
        return WORDS("write_instead", it=it, right=f"**{_POWERS.index(character)}")
    if character in _QUOTES:
        return WORDS("no_quotes", it=it)
    if character in _SPACES:
        return WORDS("plain_space", it=it)
    if character in _LETTERS:
        return WORDS("latin_letter", it=it, right=_LETTERS[character])
    if plain != character and plain.isascii() and plain.isprintable() and plain.strip():
        return WORDS("write_instead", it=it, right=plain)
    if character.isalpha():
        return WORDS("other_letter", it=it)
    return WORDS("means_nothing", it=it)
