"""A visitor's own text where Streamlit would read Markdown: shown as it came, and nothing else."""

import re

_UNSEEN = "\u200c"  # the zero-width non-joiner
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_FOUND_AFTERWARDS = ":.@-=<>~"


def verbatim(text: str) -> str:
    """Markdown that shows this text in one line: no link, image, maths, directive, emoji or HTML.

    A backslash before every punctuation mark is not enough: addresses, emoji and arrows are looked
    for once more in what the Markdown came to. So something that nobody sees breaks them up.
    What has no glyph shows as �.
    """

    def escape(mark: re.Match[str]) -> str:
        return f"{_UNSEEN if mark[0] in _FOUND_AFTERWARDS else ''}\\{mark[0]}"

    line = " ".join(text.split())
    return _PUNCTUATION.sub(escape, "".join(one if one.isprintable() else "�" for one in line))
