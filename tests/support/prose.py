"""Check that our prose is plain: words to avoid, long sentences. ``python -m tests.support.prose``.

It reads every Markdown file that git tracks: lessons, chapters, the glossary and the documents.
Readers with English as a second language stopped at the words in the list, or the words say
nothing. Next to each is a better one.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from lessons.outputs.catalogue import ROOT

REPOSITORY = ROOT.parent.parent

LONGEST = 25
"""Words of a sentence."""

AVOID = {
    r"behind(?! nginx| a(?:ny)? balancer|:)": "after (in the forward pass), upstream or downstream",
    r"in front of": "before",
    r"beside(?!:)": "next to, and, as well as",
    r"at the door": "at the input of",
    r"somebody|someone|the person who|people who": "who it was: the issue's author, a maintainer",
    r"the belief": "what is wrong about the answer",
    r"hears?|heard": "gets (a gradient)",
    r"fates?|forgives?|lends?|obeys?|wishes|wish": "what happens, without a person",
    r"nobody|whoever": "no one, or name the part of the network",
    r"takes it that": "assumes that",
    r"hangs? on|hung on": "depends on; a rule is set for a type",
    r"parts the|tells? apart": "separates, distinguishes",
    r"comes? to|came to|bears?|gives? way|gave way|anew": "the field's verb, an adverb: again",
    r"reckons?|alike|lest|whence|hence|thereby|whereby|whatever": "a plain word",
}
_SENTENCES = {
    re.compile(r"(?:Who|What)\b.*[^?]"): "starts with a clause (better: subject, verb, object)",
    re.compile(
        r"(?!.*(?:multipl|divi[ds])).*(?:gradient|derivative)s?(?: of(?: [\w'’]+){1,6})?"
        r" by (?!hand|norm|op|type|value).*"
    ): "“by” (better: with respect to)",
}
_WORDS = {re.compile(rf"\b(?:{words})\b", re.IGNORECASE): good for words, good in AVOID.items()}

# These parts are no running text. Code and values count as one word.
_APART = re.compile(
    r"\A---\n.*?^---$|^also: .*?$|```.*?```|\$\$.*?\$\$|^<!--.*?-->$|^#+ .*?$",
    re.DOTALL | re.MULTILINE,
)
_ONE = re.compile(r"`[^`\n]*`|\$[^$\n]*\$|\{\{.*?\}\}|\]\([^)\n]*\)")
_FRONT = re.compile(r"^(?:title|summary|remember): (.*)$", re.MULTILINE)
_END = re.compile(
    r"(?<=[.!?:;])[\"”)*]*\s+|\n\s*\n|\n(?=\s*[-*>|] )|\n(?=\s*\d+\. )|(?<=\s)\|(?=\s)"
)


def sentences(text: str) -> Iterator[str]:
    """Each sentence of a Markdown text, code and maths as one word each."""
    front = "\n\n".join(_FRONT.findall(text.split("\n---\n", 1)[0]))
    plain = _ONE.sub(" X ", f"{front}\n\n{_APART.sub(' ', text)}")
    for part in _END.split(plain):
        words = re.sub(r"[*_>|#-]+(?=\s|$)|^[-*>\s]+", " ", part).split()
        if words:
            yield " ".join(words)


def findings(text: str) -> list[str]:
    """List what to mend in a text."""
    found = []
    for sentence in sentences(text):
        if len(sentence.split()) > LONGEST:
            found.append(f"{len(sentence.split())} words: {sentence}")
        for pattern, good in _WORDS.items():
            for match in pattern.finditer(sentence):
                around = sentence[max(0, match.start() - 40) : match.end() + 40]
                found.append(f"“{match.group()}” (better: {good}): …{around}…")
        found += [
            f"{why}: {sentence}" for bad, why in _SENTENCES.items() if bad.fullmatch(sentence)
        ]
    return found


def texts() -> list[Path]:
    """List the files to read: all but the benchmarks' tables, which a program writes."""
    names = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(names, cwd=REPOSITORY, check=True, capture_output=True, text=True)
    return [
        REPOSITORY / name for name in listed.stdout.split() if not name.startswith("tests/bench/")
    ]


def main(only: list[str]) -> int:
    """Print what to mend in these lessons, or in all texts; return 1 if there is something."""
    read = [path for path in texts() if not only or any(name in path.parts for name in only)]
    if not read:
        print(f"No text is in a folder named {' or '.join(only)}.")
        return 1
    total = longest = 0
    for path in read:
        text = path.read_text("utf-8")
        longest = max(longest, *(len(one.split()) for one in sentences(text)))
        found = findings(text)
        total += len(found)
        for finding in found:
            print(f"{path.relative_to(REPOSITORY)}: {finding}")
    print(f"prose: {len(read)} texts, longest sentence {longest} words, {total} to mend")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
