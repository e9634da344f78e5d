"""What is remembered across reloads, in one cookie: steps, answers, first answers, times, done.

The browser writes the cookie (``live/remember.js``); it is read when a session starts.
A cookie is the visitor's own text: everything in it is checked before it is believed. Its form is
short, because browsers drop one beyond 4 KB::

    2!noise_leaks:4*:l=1b@7a3f1:b=0n@c@t/wrong_place:2:g=0s/~round

that is lessons by slug, the step, ``*`` for done, answers with 1 or 0 for right or wrong at first,
questions and answers by as many letters as tell them from the lesson's others;
after each answer, behind ``@``, the minutes since the answer before it, in hex, and the first
answer if that was another one;
and the playground's goals that were reached, each by itself, so that no tab undoes another's.
"""

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from urllib.parse import quote

import streamlit as st

from lessons.contract.lesson import Lesson
from lessons.contract.prose import Question
from lessons.contract.typed import Typed
from lessons.outputs import catalogue
from lessons.playground.goals import GOALS
from pages.server.addresses import root
from pages.ui import tab
from pages.ui.component import component

_component = component("gradient_memory", "remember")

COOKIE = "gradient_tricks_lab"
"""Its name; below a path it says the path as well, since others may lie on the same host."""
LONGEST = 3_800
"""Characters in a cookie; if more are needed, the lessons visited first lose their times and first
answers, then their answers."""
EPOCH = 1_767_225_600
"""The start of 2026, in Unix seconds: times of answers are minutes since then."""

_KEY, _START, _FORGOTTEN = "memory", "memory_at_first", "memory_forgotten"
"""Session keys: the trails, the cookie as the session found it, how often all was forgotten."""
_GOALS = "memory_goals"
"""Session key: the names of the goals that were reached."""
_GOAL = "~"
"""What a goal's part of the cookie begins with."""
_FORM = "2!"
_ANSWER = re.compile(
    r"(\w{1,40})=([01])([\w.~+-]{1,100})(?:@([0-9a-f]{0,8})(?:@(\w{1,40}))?)?", re.ASCII
)


@dataclass
class Trail:
    """Where a learner is in one lesson.

    Args:
        step: 1 for the first.
        answers: what was committed to last, by question: the key of an option, a ``Typed``
            number or a ``Sketch`` as text.
        first: whether the first answer was right, by question.
        tried: the first answer, by question, where a later one replaced it.
        times: when the first answer came, in minutes since ``EPOCH``, by question.
        done: True once the last step was reached with every question answered.
    """

    step: int = 1
    answers: dict[str, str] = field(default_factory=dict)
    first: dict[str, bool] = field(default_factory=dict)
    tried: dict[str, str] = field(default_factory=dict)
    times: dict[str, int] = field(default_factory=dict)
    done: bool = False

    def commit(self, question: Question, answer: str, right: bool) -> None:
        """Keep an answer; only the first one to a question counts for progress."""
        name = question.name
        if name not in self.answers:
            self.first[name] = right
            self.times[name] = _now()
        elif answer != self.answers[name]:
            self.tried.setdefault(name, self.answers[name])
        self.answers[name] = answer


@dataclass(frozen=True)
class Progress:
    """How far a learner is: lessons done of all, answers right at first try of all given."""

    done: int
    lessons: int
    right: int
    answered: int

    @property
    def by_lessons(self) -> str:
        return f"{self.done} of {self.lessons} lessons done"

    @property
    def by_predictions(self) -> str:
        """Empty before the first."""
        said = f"{self.right} of {self.answered} predictions right at first try"
        return said if self.answered else ""

    def __str__(self) -> str:
        return " · ".join(filter(None, (self.by_lessons, self.by_predictions)))


def trail(lesson: Lesson) -> Trail:
    """This session's trail in a lesson; what is changed in it is remembered."""
    return _known().setdefault(lesson.slug, Trail())


def progress(of: tuple[Lesson, ...]) -> Progress:
    """How far the learner is in these lessons."""
    trails = [trail(lesson) for lesson in of]
    firsts = [right for one in trails for right in one.first.values()]
    return Progress(sum(one.done for one in trails), len(of), sum(firsts), len(firsts))


def goals() -> list[str]:
    """The goals of the playground that were reached."""
    _known()
    return sorted(st.session_state[_GOALS])


def reach(names: object) -> None:
    """Remember goals as a browser names them, which may be anything."""
    _known()
    st.session_state[_GOALS] |= _real(names if isinstance(names, list) else [])


def _real(names: Iterable[object]) -> set[str]:
    """Those that there are."""
    known = {goal.name for goal in GOALS}
    return {name for name in names if isinstance(name, str) and name in known}


def is_empty() -> bool:
    """Whether there is nothing to forget."""
    return all(one == Trail() for one in _known().values()) and not goals()


def clear() -> None:
    """Forget everything, in this session and, once the cookie is written, in the browser."""
    _known().clear()
    st.session_state[_GOALS] = set()
    st.session_state[_FORGOTTEN] += 1


def keep() -> None:
    """Have the browser write the cookie."""
    _component(key="kept", data=cookie())


def cookie() -> dict[str, str | int]:
    """The cookie as this session found it and as it would have it; the browser writes the changes.

    Another tab is another session, and may have written the cookie meanwhile.
    """
    return {
        "name": _name(),
        "path": _path(),
        "older": COOKIE,
        "session": tab.session(),
        "value": written(_known(), goals()),
        "start": st.session_state[_START],
        "forgotten": st.session_state[_FORGOTTEN],
        "longest": LONGEST,
    }


def written(known: dict[str, Trail], reached: Iterable[str] = ()) -> str:
    """The trails and goals as a cookie's value, at most ``LONGEST`` characters of it."""
    ticks = [f"{_GOAL}{name}" for name in reached]
    room = LONGEST - len("/".join(ticks)) - 1
    kept = {slug: one for slug, one in known.items() if one != Trail()}
    parts = {slug: _brief(slug, one) for slug, one in kept.items()}
    shorter = [(slug, replace(one, tried={}, times={})) for slug, one in kept.items()]
    shortest = [(slug, Trail(one.step, done=one.done)) for slug, one in kept.items()]
    for slug, one in shorter + shortest:
        if sum(map(len, parts.values())) + len(parts) < room:
            break
        parts[slug] = _brief(slug, one)
    whole = [*parts.values(), *ticks]
    return _FORM + "/".join(whole) if whole else ""


def parse(text: str) -> dict[str, Trail]:
    """The trails in a cookie's value; whatever is not as it should be is left out."""
    text = text[:20_000]
    if not text.startswith(_FORM):
        return {}
    found = {lesson.slug: lesson for lesson in catalogue.lessons()}
    trails = {}
    for part in text.removeprefix(_FORM).split("/"):
        slug, *fields = part.split(":")
        if slug in found:
            trails[slug] = _read(found[slug], fields)
    return trails


def parse_goals(text: str) -> set[str]:
    """The goals in a cookie's value."""
    parts = text[:20_000].removeprefix(_FORM).split("/") if text.startswith(_FORM) else []
    return _real(part.removeprefix(_GOAL) for part in parts if part.startswith(_GOAL))


def clamp_step(lesson: Lesson, step: int) -> int:
    """The nearest step that there is."""
    return max(1, min(step, len(lesson.prose.steps)))


def _path() -> str:
    """Where the app lies: the cookie is sent to nothing beside it."""
    return quote(root())


def _name() -> str:
    words = re.sub(r"\W+", "_", _path().strip("/"), flags=re.ASCII)
    return f"{COOKIE}_{words}" if words else COOKIE


def _known() -> dict[str, Trail]:
    if _KEY not in st.session_state:
        st.session_state[_FORGOTTEN] = 0
        found = st.context.cookies
        # Below a path it once had the plain name, and lay at the root.
        st.session_state[_START] = found.get(_name(), found.get(COOKIE, ""))
        st.session_state[_KEY] = parse(st.session_state[_START])
        st.session_state[_GOALS] = parse_goals(st.session_state[_START])
    known: dict[str, Trail] = st.session_state[_KEY]
    return known


def _now() -> int:
    """Minutes since ``EPOCH``."""
    return max(0, int(time.time() - EPOCH) // 60)


def _brief(slug: str, kept: Trail) -> str:
    asked = _questions(slug)
    parts, before = [slug, f"{kept.step}{'*' if kept.done else ''}"], 0
    for name, key in kept.answers.items():
        keys, at, tried = asked.get(name, ()), kept.times.get(name), kept.tried.get(name)
        later = "" if at is None else f"{max(0, at - before):x}"
        before = max(before, at or 0)
        part = f"{_short(name, asked)}={kept.first[name]:d}{_short(key, keys)}"
        part += f"@{later}" if later or tried else ""
        parts.append(f"{part}@{_short(tried, keys)}" if tried else part)
    return ":".join(parts)


@cache
def _questions(slug: str) -> dict[str, tuple[str, ...]]:
    """A lesson's questions: the keys that can be chosen, none where it is typed or drawn."""
    found = (one for one in catalogue.lessons() if one.slug == slug)
    return {
        question.name: tuple(option.key for option in question.options)
        if question.kind in ("choice", "bug")
        else ()
        for lesson in found
        for question in lesson.prose.questions
    }


def _short(word: str, words: Iterable[str]) -> str:
    """The fewest letters that only this one of the words begins with; all of it if none do."""
    lengths = range(1, len(word))
    known = list(words)
    shorter = (word[:n] for n in lengths if [w for w in known if w.startswith(word[:n])] == [word])
    return next(shorter, word)


def _whole(short: str, words: Iterable[str]) -> str:
    """The word that it stands for; itself if there is none."""
    known = list(words)
    meant = [word for word in known if word.startswith(short)]
    return meant[0] if short not in known and len(meant) == 1 else short


def _read(lesson: Lesson, fields: list[str]) -> Trail:
    where, *answers = fields or [""]
    step = where.removesuffix("*")
    good = step.isascii() and step.isdigit() and len(step) < 4
    kept = Trail(clamp_step(lesson, int(step) if good else 1), done=good and where.endswith("*"))
    now, at = _now(), 0
    for match in filter(None, map(_ANSWER.fullmatch, answers)):
        name, first, answer, later, tried = match.groups()
        asked = _questions(lesson.slug)
        name = _whole(name, asked)
        answer, tried = (_whole(key or "", asked.get(name, ())) for key in (answer, tried))
        if _answers(lesson, name, answer):
            kept.answers[name] = answer
            kept.first[name] = first == "1"
            if later:
                kept.times[name] = at = min(now, at + int(later, 16))
            if _answers(lesson, name, tried):
                kept.tried[name] = tried
    return kept


def _answers(lesson: Lesson, name: str, answer: object) -> bool:
    """Whether this can be an answer to the lesson's question of that name."""
    question = next(
        (question for question in lesson.prose.questions if question.name == name), None
    )
    if question is None or not isinstance(answer, str):
        return False
    if question.kind in ("choice", "bug"):
        return answer in {option.key for option in question.options}
    try:
        if question.kind == "sketch":
            lesson.sketches[name].read(answer)
        else:
            Typed.parse(question, answer)
    except ValueError:
        return False
    return True
