"""Every word that the browser's modules show is in pages/ui/live/en.md, and is filled in."""

import re
from collections.abc import Iterator
from pathlib import Path

from lessons.gradient_tricks.text.words import placeholders
from pages.ui.page import MODULES, STYLE, WORDS
from tests.support.folded import folded
from tests.support.node import UI

COMMENT = r"(?:^|\s)//[^\n]*|/\*.*?\*/"
ERROR = r"(?:new Error|console\.error)\([^\n]*"
TOKEN = re.compile(
    rf'{COMMENT}|{ERROR}|"(?P<text>(?:[^"\\\n]|\\.)*)"|`(?P<template>(?:[^`\\]|\\.)*)`', re.DOTALL
)
SENTENCE = re.compile(r"[A-Za-z’]{2,}[,:;]? (?:\$|[A-Za-z’])|^\W*[A-Z][a-z]+\W*$")
"""Two words with a space between them, or one word that begins like a label."""
CODE = re.compile(r"\bg[lt]-|\.st[A-Z-]|\w=|\[|--|^(?:translate|rotate)\(|^\([\w-]+: [\w-]+\)$")
"""A selector, a class, a style or a media query."""
NOT_SHOWN = {
    *("Enter", "Escape", "Backspace", "Delete", "td, th"),
    *("lab $", "snip $", "$ ask $$", r"$ train $\n$", "background: $"),
}
CALL = re.compile(r'\b(phrase|counted)\(\s*"(\w+)"')
NESTED = re.compile(r"\([^()]*\)|`[^`]*`|\[[^][]*\]")


def sentences(source: str) -> Iterator[str]:
    """The texts of a module that read like a sentence or a label, outside of comments and errors.

    A ``$`` stands for what a template fills in.
    """
    for found in TOKEN.finditer(source):
        text = re.sub(r"\$\{[^}]*\}", "$", found["text"] or found["template"] or "")
        if SENTENCE.search(text) and not CODE.search(text) and text not in NOT_SHOWN:
            yield text


def values(call: str) -> set[str]:
    """The names of the values that a call gives; `call` is what follows the text's name."""
    while NESTED.search(call):
        call = NESTED.sub("", call)
    found = re.match(r", \{ (.*?) \}", call, re.DOTALL)
    return {part.split(":")[0].strip() for part in found[1].split(",")} if found else set()


@folded("path", MODULES)
def test_no_sentence_stands_in_a_module(path: Path) -> None:
    found = list(sentences(path.read_text("utf-8")))
    assert not found, f"Write it into pages/ui/live/en.md, and ask for it by its name: {found}"


def test_no_word_stands_in_a_style() -> None:
    styles = "".join(path.read_text("utf-8") for path in UI.rglob("*.css"))
    shown = re.findall(r"\bcontent: ([^;\n]*);", styles)
    quoted = re.findall(r'"([^"]*)"', " ".join(shown))
    assert len(quoted) > 10
    assert not [one for one in quoted if re.search("[A-Za-z]", one)]
    assert f'--say-computing: "{WORDS("computing")}";' in STYLE


@folded("path", MODULES)
def test_a_module_gives_each_text_what_it_fills_in(path: Path) -> None:
    source = path.read_text("utf-8")
    for call in CALL.finditer(source):
        kind, name = call.groups()
        given = {"n"} if kind == "counted" else values(source[call.end() :])
        assert given == placeholders(WORDS.texts[name]), name
