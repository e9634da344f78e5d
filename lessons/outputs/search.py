"""What can be searched for: lessons, their steps, the glossary. Plain data; the browser matches."""

import re
from dataclasses import asdict, dataclass

from lessons.outputs.catalogue import chapters
from lessons.outputs.glossary import terms

_CODE = re.compile(r"```.*?```", re.DOTALL)
_MARKUP = re.compile(r"```.*?```|\$\$.*?\$\$|[`*$#>]|<[^>]*>", re.DOTALL)
_VALUE = re.compile(r"\{\{.*?\}\}")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NEXT_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z“])")


@dataclass(frozen=True)
class Entry:
    """One place to go to.

    Args:
        kind: what it is, as people read it.
        title: what is shown first and counts most.
        text: what else is searched, shown below.
        also: what is searched and not shown, as good as a title: other spellings, what people
            ask, with commas between.
        body: what is searched and not shown, and counts least: the words of a step.
        page: a chapter's slug, or ``glossary``.
        lesson: the lesson's slug; the term's on the glossary's page.
        step: of the lesson, 1 for the first.
    """

    kind: str
    title: str
    text: str
    page: str
    lesson: str
    step: int = 1
    also: str = ""
    body: str = ""


def index() -> list[Entry]:
    """Every entry: lessons, their steps, terms."""
    found = []
    for number, chapter in enumerate(chapters(), start=1):
        for lesson in chapter.lessons:
            front, place = lesson.prose.front, (chapter.slug, lesson.slug)
            where = f"Chapter {number}, {front['short']}"
            also, body = front.get("asked", ""), _words(front["remember"])
            found.append(Entry(where, lesson.title, lesson.summary, *place, also=also, body=body))
            for step, content in enumerate(lesson.prose.steps, start=1):
                kind, title = f"{where}, step {step}", plain(content.title)
                asked, body = _asked(content.text), _words(plain(content.text))
                found.append(Entry(kind, title, asked, *place, step, body=body))
    for term in terms():
        text, also = plain(term.text), ", ".join(term.also)
        found.append(Entry("Glossary", term.name, text, "glossary", term.slug, also=also))
    return found


def as_data() -> list[dict[str, str | int]]:
    """The index as JSON carries it."""
    return [asdict(entry) for entry in index()]


def _asked(text: str) -> str:
    """Return the questions that a step asks, as whole sentences."""
    paragraphs = map(plain, re.split(r"\n\s*\n", _CODE.sub("\n\n", text)))
    sentences = (one for paragraph in paragraphs for one in _NEXT_SENTENCE.split(paragraph))
    return " ".join(one for one in sentences if one.endswith("?"))


def _words(text: str) -> str:
    """Each word once: their order and number play no part in the search."""
    return " ".join(dict.fromkeys(re.findall(r"\w{3,}", text.lower())))


def plain(text: str) -> str:
    """Return a lesson's Markdown without its marks; an ellipsis stands for a computed value."""
    text = _LINK.sub(r"\1", _VALUE.sub("…", text))
    text = re.sub(r"\\(?:[a-z]*name|text)?\{?([A-Za-z]*)|[{}]", r"\1", _MARKUP.sub(" ", text))
    return re.sub(r" ([?.,;:])(?!\w)", r"\1", " ".join(text.split()))
