"""Progress across reloads, in one cookie: steps, answers, which were right at first, done.

The browser writes the cookie (``live/page/remember.js``), and a session reads it when it starts. A
cookie is the visitor's own text: everything in it is checked before it is believed. Its form is
short, because browsers drop a cookie beyond 4 KB::

    2!noise_leaks:4*:l=1b:b=0n/wrong_place:2:g=0s

Each lesson has its slug, its step with ``*`` once it is done, and its answers: the question, 1 or 0
for a first answer that was right or wrong, the last answer. Questions and answers are shortened to
the letters that distinguish them from the lesson's others. A chapter has its slug and how many
answers of its last quiz were right, as in ``reversal:4``.
"""

import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.outputs import catalogue
from lessons.outputs.catalogue import Chapter
from lessons.outputs.quiz import LENGTH
from lessons.outputs.typed import Typed
from lessons.prose.steps import Question
from pages.server.addresses import root
from pages.ui.component import component
from pages.ui.natural import natural
from pages.ui.words import WORDS

_component = component("gradient_memory", "remember")

COOKIE = "gradient_tricks_lab"
"""The cookie's name; below a path it has the path in it, since other apps may share the host."""
LONGEST_COOKIE = 3_800
"""Characters in a cookie. The whole course fits."""

_KEY = "memory"
"""Session key."""
_FORM = "2!"
"""The first characters of a cookie: its format."""
_ANSWER = re.compile(r"(\w{1,40})=([01])([\w.~+-]{1,100})", re.ASCII)


@dataclass
class Trail:
    """A learner's progress in one lesson.

    Args:
        step: 1 for the first.
        answers: the last answer to each question: the key of an option, a ``Typed`` number or a
            ``Sketch`` as text.
        first: whether the first answer was right, by question.
        done: True once the last step was reached with every question answered.
        skipped: whether this session skipped the last question.
    """

    step: int = 1
    answers: dict[str, str] = field(default_factory=dict)
    first: dict[str, bool] = field(default_factory=dict)
    done: bool = False
    skipped: bool = field(default=False, compare=False)

    def commit(self, question: Question, answer: str, right: bool) -> None:
        """Keep an answer; only the first one to a question counts for progress."""
        self.first.setdefault(question.name, right)
        self.answers[question.name] = answer


@dataclass
class _Memory:
    """What a session knows: the trails by lesson, the scores by chapter, the cookie that it found,
    how often the learner had everything forgotten, and a name that no other session has.
    """

    trails: dict[str, Trail]
    scores: dict[str, int]
    start: str
    forgotten: int = 0
    session: str = field(default_factory=secrets.token_hex)


def _memory() -> _Memory:
    if _KEY not in st.session_state:
        start = st.context.cookies.get(_name(), "")
        st.session_state[_KEY] = _Memory(unpack(start), unpack_scores(start), start)
    memory: _Memory = st.session_state[_KEY]
    return memory


def session() -> str:
    """Return this session's name."""
    return _memory().session


def trail(lesson: Lesson) -> Trail:
    """Return this session's trail in a lesson; a change to it is remembered."""
    return _memory().trails.setdefault(lesson.slug, Trail())


def score(chapter: Chapter) -> int | None:
    """Return how many answers of the chapter's last quiz were right; None before the first."""
    return _memory().scores.get(chapter.slug)


def keep_score(chapter: Chapter, right: int) -> None:
    """Keep how many answers of a chapter's quiz were right."""
    _memory().scores[chapter.slug] = right


def progress(of: Iterable[Lesson]) -> str:
    """Say how many of these lessons are done, and how many first answers were right."""
    trails = [trail(lesson) for lesson in of]
    firsts = [right for one in trails for right in one.first.values()]
    said = WORDS("lessons_done", done=sum(one.done for one in trails), all=len(trails))
    if firsts:
        said += f" · {WORDS('right_at_first', right=sum(firsts), all=len(firsts))}"
    return said


def is_empty() -> bool:
    """Whether there is nothing to forget."""
    memory = _memory()
    return not memory.scores and all(one == Trail() for one in memory.trails.values())


def clear() -> None:
    """Forget everything, in this session and, once the cookie is written, in the browser."""
    memory = _memory()
    memory.trails.clear()
    memory.scores.clear()
    memory.forgotten += 1


def keep() -> None:
    """Have the browser write the cookie.

    Another tab is another session, and may have written the cookie meanwhile. So the browser gets
    the cookie as this session found it and as it is now, and writes the changes.
    """
    memory = _memory()
    data = {
        "name": _name(),
        "path": _path(),
        "session": memory.session,
        "value": pack(memory.trails, memory.scores),
        "start": memory.start,
        "forgotten": memory.forgotten,
        "longest": LONGEST_COOKIE,
    }
    _component(key="kept", data=data)


def pack(trails: Mapping[str, Trail], scores: Mapping[str, int]) -> str:
    """Write trails and scores as a cookie's value."""
    parts = [_pack_trail(slug, one) for slug, one in trails.items() if one != Trail()]
    parts += [f"{slug}:{right}" for slug, right in scores.items()]
    return _FORM + "/".join(parts) if parts else ""


def unpack(text: str) -> dict[str, Trail]:
    """Read trails from a cookie's value; ignore everything malformed."""
    trails = {}
    for slug, *fields in _parts(text):
        if lesson := catalogue.lessons_by_slug().get(slug):
            trails[slug] = _unpack_trail(lesson, fields)
    return trails


def unpack_scores(text: str) -> dict[str, int]:
    """Read scores by chapter from a cookie's value; ignore everything malformed."""
    scores = {}
    for slug, *fields in _parts(text):
        right = natural(fields[0], LENGTH) if len(fields) == 1 else None
        if slug in catalogue.chapters_by_slug() and right is not None:
            scores[slug] = right
    return scores


def _parts(text: str) -> list[list[str]]:
    """Split a cookie's value into lessons and chapters, each into its fields."""
    text = text[:20_000]
    parts = text.removeprefix(_FORM).split("/") if text.startswith(_FORM) else []
    return [part.split(":") for part in parts]


def clamp_step(lesson: Lesson, step: int) -> int:
    """Return the nearest step that exists."""
    return max(1, min(step, len(lesson.prose.steps)))


def _path() -> str:
    """Return the app's path; the browser sends the cookie only to addresses below it."""
    return quote(root())


def _name() -> str:
    words = re.sub(r"\W+", "_", _path().strip("/"), flags=re.ASCII)
    return f"{COOKIE}_{words}" if words else COOKIE


def _pack_trail(slug: str, trail: Trail) -> str:
    keys = _keys(slug)
    answers = (
        f"{_short(name, keys)}={trail.first[name]:d}{_short(answer, keys.get(name, []))}"
        for name, answer in trail.answers.items()
    )
    return ":".join([slug, f"{trail.step}{'*' if trail.done else ''}", *answers])


def _unpack_trail(lesson: Lesson, fields: list[str]) -> Trail:
    where, *answers = fields or [""]
    step = natural(where.removesuffix("*"), 999)
    trail = Trail(clamp_step(lesson, step or 1), done=step is not None and where.endswith("*"))
    keys = _keys(lesson.slug)
    for match in filter(None, map(_ANSWER.fullmatch, answers)):
        name, first, answer = match.groups()
        name = _long(name, keys)
        answer = _long(answer, keys.get(name, []))
        if _is_answer(lesson, name, answer):
            trail.answers[name] = answer
            trail.first[name] = first == "1"
    return trail


def _keys(slug: str) -> dict[str, list[str]]:
    """Return each question's keys to choose from; none if the learner types or draws the answer."""
    chosen = ("choice", "bug")
    return {
        one.name: [option.key for option in one.options if one.kind in chosen]
        for one in catalogue.find(slug).prose.questions
    }


def _short(word: str, words: Iterable[str]) -> str:
    """Return the fewest letters that only this one of the words begins with, or all of it."""
    for length in range(1, len(word)):
        if [one for one in words if one.startswith(word[:length])] == [word]:
            return word[:length]
    return word


def _long(short: str, words: Iterable[str]) -> str:
    """Return the word that these letters stand for, or the letters if there is none."""
    meant = [word for word in words if word.startswith(short)]
    return meant[0] if short not in meant and len(meant) == 1 else short


def _is_answer(lesson: Lesson, name: str, answer: str) -> bool:
    """Whether this can be an answer to the lesson's question of that name."""
    question = {one.name: one for one in lesson.prose.questions}.get(name)
    if question is None:
        return False
    try:
        if question.kind == "sketch":
            lesson.sketches[name].read(answer)
        elif question.kind == "number":
            Typed.parse(question, answer)
        else:
            return answer in {option.key for option in question.options}
    except ValueError:
        return False
    return True
