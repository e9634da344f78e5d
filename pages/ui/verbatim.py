"""A visitor's own text: shown where Streamlit would read Markdown, or read as a number."""

import re

_UNSEEN = "\u200c"  # the zero-width non-joiner
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_FOUND_AFTERWARDS = ":.@-=<>~"


def verbatim(text: str) -> str:
    """Write Markdown that shows this text in one line, without links, images, maths or HTML.

    A backslash before every punctuation mark is not enough: Streamlit looks for addresses, emoji
    and arrows again in the text that it gets from the Markdown. So an invisible character breaks
    them up. A character without a glyph shows as �.
    """

    def escape(mark: re.Match[str]) -> str:
        return f"{_UNSEEN if mark[0] in _FOUND_AFTERWARDS else ''}\\{mark[0]}"

    line = " ".join(text.split())
    return _PUNCTUATION.sub(escape, "".join(one if one.isprintable() else "�" for one in line))


def natural(text: str, most: int) -> int | None:
    """Read a number from 0 to this one; None if the text is anything else."""
    fits = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    return int(text) if fits and int(text) <= most else None
