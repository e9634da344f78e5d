"""How plain our prose is: words to avoid, long sentences. ``python -m tests.support.prose``.

Read are the lessons' texts, chapters and the glossary. The words are those at which readers whose
English is second stopped, or which say nothing: each stands here with what to write instead.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from lessons.outputs.catalogue import ROOT

LONGEST = 25
"""Words of a sentence."""

AVOID = {
    r"behind": "after (in the forward pass), upstream or downstream",
    r"in front of": "before",
    r"beside": "next to, and, as well as",
    r"at the door": "at the input of",
    r"somebody|someone|the person who|people who": "who it was: the issue's author, a maintainer",
    r"the belief": "what is wrong about the answer",
    r"hears?|heard": "gets (a gradient)",
    r"fates?|forgives?|lends?|obeys?|wishes|wish": "what happens, without a person",
    r"nobody|whoever": "no one, or name the part of the network",
    r"takes it that": "assumes that",
    r"hangs? on|hung on": "depends on; a rule is set for a type",
    r"parts the|tells? apart": "separates, distinguishes",
    r"reckons?|alike|lest|whence|hence|thereby|whereby|whatever": "a plain word",
}
_WORDS = {re.compile(rf"\b(?:{words})\b", re.IGNORECASE): good for words, good in AVOID.items()}

# What is no running text, and what stands for it: code and values count as one word.
_APART = re.compile(
    r"\A---\n.*?^---$|^also: .*?$|```.*?```|\$\$.*?\$\$|^<!--.*?-->$|^#+ .*?$",
    re.DOTALL | re.MULTILINE,
)
_ONE = re.compile(r"`[^`\n]*`|\$[^$\n]*\$|\{\{.*?\}\}|\]\([^)\n]*\)")
_FRONT = re.compile(r"^(?:title|summary|remember): (.*)$", re.MULTILINE)
_END = re.compile(r"(?<=[.!?:;])[\"”)*]*\s+|\n\s*\n|\n(?=\s*[-*>|] )|\n(?=\s*\d+\. )")


def sentences(text: str) -> Iterator[str]:
    """Each sentence of a Markdown text, code and maths as one word each."""
    front = "\n\n".join(_FRONT.findall(text.split("\n---\n", 1)[0]))
    plain = _ONE.sub(" X ", f"{front}\n\n{_APART.sub(' ', text)}")
    for part in _END.split(plain):
        words = re.sub(r"[*_>|#-]+(?=\s|$)|^[-*>\s]+", " ", part).split()
        if words:
            yield " ".join(words)


def findings(text: str) -> list[str]:
    """What to mend in a text."""
    found = []
    for sentence in sentences(text):
        if len(sentence.split()) > LONGEST:
            found.append(f"{len(sentence.split())} words: {sentence}")
        for pattern, good in _WORDS.items():
            for match in pattern.finditer(sentence):
                around = sentence[max(0, match.start() - 40) : match.end() + 40]
                found.append(f"“{match.group()}” (better: {good}): …{around}…")
    return found


def texts() -> list[Path]:
    """The files that are read."""
    return sorted([*ROOT.rglob("en.md"), ROOT.parent / "outputs" / "glossary.md"])


def main(only: list[str]) -> int:
    """Print what to mend, of these lessons or of all; 1 where there is something."""
    read = [path for path in texts() if not only or any(name in path.parts for name in only)]
    total = longest = 0
    for path in read:
        text = path.read_text("utf-8")
        longest = max(longest, *(len(one.split()) for one in sentences(text)))
        found = findings(text)
        total += len(found)
        for finding in found:
            print(f"{path.relative_to(ROOT.parent)}: {finding}")
    print(f"prose: {len(read)} texts, longest sentence {longest} words, {total} to mend")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
