"""A language for tests: every letter of every text has an accent, and each text is 40 % longer."""

import re
import shutil
from math import ceil
from pathlib import Path

from lessons.prose.steps import LISTS

LANGUAGE = "eo"  # a code that browsers know, of a language that the app lacks
ROOT = Path(__file__).resolve().parents[2]
APART = re.compile(
    r"^<!--(?! computed:).*?-->|<!-- computed:|-->"  # directives
    r"|```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$\n]*\$"  # code and maths
    r"|\{\{.*?\}\}|%\{[^}]*\}|<[^>]*>|\]\([^)]*\)|https?://\S+|&\w+;"  # placeholders, HTML, links
    r"|^ *(?:>|[-*] |\d+\. )|^also:",  # lists, a term's other spellings
    re.DOTALL | re.MULTILINE,
)
KEY = re.compile(r"^ *(?:- )?\w+(?: = \w+)?: ")
"""The name of a line in a list, or of an answer to a question."""
WORD = re.compile(r"[A-Za-z]{2,}")
ACCENTS = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "áƀćđéƒğĥíĵķĺḿńóṕɋŕśťúṽŵẋýžÁƁĆĐÉƑĞĤÍĴĶĹḾŃÓṔɊŔŚŤÚṼŴẊÝŽ",
)


def pseudo(text: str) -> str:
    """The running text of some Markdown in the language; code, maths and placeholders stay."""
    parts, end = [], 0
    for apart in APART.finditer(text):
        parts += [_words(text[end : apart.start()]), apart[0]]
        end = apart.end()
    return "".join([*parts, _words(text[end:])])


def _words(text: str) -> str:
    """Accent and lengthen each word of two letters or more; a single letter is a variable."""
    return WORD.sub(lambda word: (word[0] + "x" * ceil(len(word[0]) / 2)).translate(ACCENTS), text)


def pseudo_file(text: str) -> str:
    """The text of an ``en.md`` in the language; the names in its front matter and lists stay."""
    front, body = "", text
    if text.startswith("---\n"):
        _, front, body = text.split("---\n", 2)
        front = "---\n" + "".join(map(_line, front.splitlines(keepends=True))) + "---\n"
    steps, *lists = re.split(rf"^(?=## (?:{'|'.join(LISTS)})$)", body, flags=re.MULTILINE)
    ends = [line for one in lists for line in one.splitlines(keepends=True)]
    return front + _steps(steps) + "".join(map(_line, ends))


def _steps(text: str) -> str:
    """The steps of a lesson in the language; the keys of a question's answers stay."""
    parts = re.split(r"^(- \w+(?: = \w+)?: )", text, flags=re.MULTILINE)
    return "".join(one if place % 2 else pseudo(one) for place, one in enumerate(parts))


def _line(line: str) -> str:
    key = KEY.match(line)
    if line.startswith(("## ", "order:")):
        return line
    return (key[0] + pseudo(line[key.end() :])) if key else pseudo(line)


def copy_in_pseudo(folder: Path) -> None:
    """Copy the app to a folder, with a translation into the language next to each text."""
    for room in ("lessons", "pages"):
        shutil.copytree(ROOT / room, folder / room)  # with the bytecode, or each process compiles
        for path in (folder / room).rglob("en.md"):
            text = pseudo_file(path.read_text("utf-8"))
            path.with_name(f"{LANGUAGE}.md").write_text(text, "utf-8")
