"""Reads a lesson's Markdown: front matter, steps, predictions; fills in computed values.

The file of a lesson (``en.md``; other languages stand beside it) looks like this::

    ---
    order: 20
    short: For lists
    title: Does the noise reach the gradient?
    summary: One line for lists and search.
    remember: The one sentence to keep.
    asked: what people type into a search; an error message
    ---

    ## A step
    <!-- lab: noise_low=0.9 noise_high=1.1 -->
    Text with a computed value: {{ gradient_mean:.3f }}.

    ## A step that asks
    <!-- predict: leak asks=trick_gradient hides=trick_gradient -->
    The question?

    - zero: One possible answer.
      > Which belief leads there, and what is so instead.
    - error = example_error: Another answer.
      > Why this is right.

``lab`` sets parameters when the learner arrives; two words in it belong to the graph: ``cuts``
(edges, as in ``cuts=mul:0,sqrt:0``) and ``at`` (which step of the backward pass).

``stage: name`` is the one part of the lab that the step shows: a figure by its name, ``graph`` or
``table``. Everything else is in a closed drawer. ``controls: names`` are the controls in reach of
it, with commas between; without it, those whose labels stand in bold in the step's text. ``touch``
is what the first step asks the learner to do, as settings: it changes something on the stage.
``uncovers: roles`` shows at this step what a later question hides.

A paragraph that starts with ``**Your turn:**`` is a small task with a computed tick. ``goal:
trick_gradient = 18 and x > 2`` says when it is done, in facts; ``solved: stopped=second`` is one
way to do it, ``missed: stopped=both | cuts=mul:0`` are ways that don't. After a question's answers
it is shown once the question is answered. ``run=20`` among the settings trains so many steps.

``predict`` names a prediction. ``asks`` is the fact that it asks for, and each answer stands for a
fact or a number: what is behind its key and ``=``, or else the fact that its key names. The answer
nearest to the computed one is right; a NaN equals a NaN, and text is equal or not. Without
``asks``, lesson.py has a function that grades it. The roles it ``hides`` stay hidden until the
learner has committed to an answer. ``holds`` names controls that stand still, at what this step's
``lab`` sets, until then; ``training`` among them is the training: nothing runs. What the commit
reveals, of what ``lab`` sets, stands still as well. With ``as=number`` the learner types a number,
which counts as the answer whose fact it equals. With ``as=sketch`` the learner draws a curve over
the x that lesson.py names; an answer's curve is its fact at each x. ``by=TensorFlow`` names who
computes the answer where torch does not. With ``about=code`` it is about the step's own code, which
no lab runs; a ``transfer`` is so, unless its commit reveals a case. ``bug:`` makes the step's
answers the fixes of bug.py. A value in double braces is a fact of the Result, with an optional
format after the colon.

``quiz: x=3 | x=5 scale=3`` are settings, over those of ``lab``, at which a chapter's quiz asks the
question or sets the step's task: each of them leaves all of its text true.

The commit shows the case that was asked about. ``reveal: place=outside`` sets the lab to it, over
what the step's ``lab`` sets. What the lab cannot show is listed with the verdict:
``computed: for s {{ to_s:.3g }}; for h {{ to_h:.3g }}``.

The lists ``## Settings`` and ``## Words`` at the end are described in lessons/contract/words.py.

Front matter is lines of ``key: text``, not YAML, which refuses a title with a colon and reads “Yes”
as True.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from lessons.gradient_tricks.text import suggestion, words
from lessons.gradient_tricks.text.words import HEADING, VALUE, ProseError, sections, written
from lessons.prose.goal import Facts, Goal, GoalError, is_reached

_TASK = ("goal", "solved", "missed")
_DIRECTIVES = {*_TASK, "lab", "reveal", "computed", "predict", "bug", "stage", "controls",
               "uncovers", "touch", "quiz"}  # fmt: skip
_SET = {"lab", "reveal", "touch", "solved", "missed", "quiz"}
_DIRECTIVE = re.compile(r"^<!--\s*(\w+):\s*(.*?)\s*-->\s*$")
_OPTION = re.compile(r"^- (\w+)(?: = ([\w.-]+))?: (.+)$")
_COMPUTED = re.compile(r"(.+?)\s*\{\{\s*(\w+)\s*(?::([^}]*?))?\s*\}\}")
_APART = re.compile(r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$", re.DOTALL)  # code and maths

_BEFORE = re.compile(r"(?:^|[=<>,(]|\\(?:approx|cdot|times|leq?|geq?|to)(?![A-Za-z]))\s*$")
_AFTER = re.compile(r"\s*(?:$|[=<>,.;:)]|\\(?:approx|cdot|times|leq?|geq?|to)(?![A-Za-z]))")
"""Signs before and after a number in maths that a space may separate from it."""
_SPACE = "\u00a0"

WORDS = words.Texts(__file__)
TRY = WORDS("try_it")
"""The first words of a paragraph that suggests something to try."""
TURN = WORDS("your_turn")
"""The first words of a learner's task."""
TRAINING = "training"
"""A question that holds this stops the training until the answer."""
SETTINGS, VIEWS = "Settings", "Views"
LISTS = (SETTINGS, VIEWS, HEADING)
"""The headings of the lists at the end, which lessons/contract/words.py describes."""

Mark = Callable[[str, str], str]

Kind = Literal["choice", "number", "sketch", "bug"]
_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}


@dataclass(frozen=True)
class Option:
    """One answer to a prediction.

    Args:
        key: unique in its question.
        text: Markdown.
        reply: what is said to a learner who picks it.
        fact: the fact or the number that it stands for, where the question asks for a fact.
    """

    key: str
    text: str
    reply: str
    fact: str = ""

    def value(self, facts: Facts) -> float | int | str:
        """The fact or the number that it stands for.

        Raises:
            KeyError: no such fact.
        """
        try:
            return float(self.fact)
        except ValueError:
            return facts[self.fact]


@dataclass(frozen=True)
class Question:
    """A prediction as the learner reads it.

    Args:
        name: unique in its lesson; ``bug`` for the bug to find.
        asks: the fact that it asks for; empty where lesson.py or bug.py grades it.
        hides: the roles covered until an answer is given.
        holds: the controls that stand still until then, ``training`` for the training.
        options: the answers.
        kind: how the learner answers; a ``number`` is typed, a ``sketch`` drawn, a ``bug`` is
            the choice of a fix.
        reveal: what the lab is set to by the commit, over what the step sets.
        computed: what the verdict lists where the lab cannot show it: what it is, the name of its
            fact, the format.
        by: whose answer is the right one: a question may be about another framework.
        of_code: whether it is about the step's own code, which no lab runs.
    """

    name: str
    hides: tuple[str, ...]
    options: tuple[Option, ...]
    asks: str = ""
    kind: Kind = "choice"
    holds: tuple[str, ...] = ()
    reveal: Mapping[str, str] = field(default_factory=dict)
    computed: tuple[tuple[str, str, str], ...] = ()
    by: str = "Torch"
    of_code: bool = False

    def filled(self, facts: Facts, mark: "Mark | None" = None) -> dict[str, Option]:
        """Fill facts into the answers, by key; ``mark`` marks those in a reply, as in ``fill``."""
        return {
            one.key: replace(one, text=fill(one.text, facts), reply=fill(one.reply, facts, mark))
            for one in self.options
        }

    @property
    def is_of_lab(self) -> bool:
        """Whether it is about what the lab runs; a bug and most transfers are about other code."""
        of_code = self.of_code or (self.name == "transfer" and not self.reveal)
        return self.kind != "bug" and not of_code


@dataclass(frozen=True)
class Turn:
    """A small task on the stage, and when it is done.

    Args:
        text: Markdown.
        goal: in facts, as ``lessons.prose.goal`` reads it.
        solved: settings that do it.
        missed: settings that nearly do, each by itself.
    """

    text: str
    goal: Goal
    solved: Mapping[str, str]
    missed: tuple[Mapping[str, str], ...]


@dataclass(frozen=True)
class Step:
    """One step: a title, Markdown, what it sets in the lab and shows of it, perhaps a question.

    Args:
        title, text: Markdown.
        lab: what it sets.
        question: what it asks.
        stage: the part of the lab that it shows.
        cuts, graph_step: edges to cut and the step of the backward pass. None leaves that as the
            learner has it, but mends the cuts where the step sets a lab that does not train.
        controls: the controls in reach of the stage; None for those that the text names.
        touch: the settings that the text asks the learner to try first.
        uncovers: the roles to show though a later question hides them.
        turn: a task to do there.
        quiz: the settings at which a quiz asks its question, over those of ``lab``.
    """

    title: str
    text: str
    lab: Mapping[str, str]
    question: Question | None = None
    stage: str = ""
    cuts: str | None = None
    graph_step: int | None = None
    controls: tuple[str, ...] | None = None
    touch: Mapping[str, str] = field(default_factory=dict)
    uncovers: frozenset[str] = frozenset()
    turn: Turn | None = None
    quiz: tuple[Mapping[str, str], ...] = ()

    @property
    def says_start(self) -> bool:
        """Whether its text or its task asks the learner to press Start."""
        return WORDS("start") in self.text + (self.turn.text if self.turn else "")

    def numbers(self, answered: Collection[str], facts: Facts) -> dict[str, str]:
        """Write what each mark in its text says of these facts, and in replies once they show."""
        texts = [self.text, self.turn.text if self.turn else ""]
        if self.question and self.question.name in answered:
            texts += [option.reply for option in self.question.options]
        return {
            f"{name}:{form}": written(facts[name], form)
            for text in texts
            for name, form in quoted(text)
            if name in facts
        }

    def is_done(self, answered: Collection[str], facts: Facts) -> bool | None:
        """Whether its task is done; None if these facts don't say, or there is none to do yet."""
        if self.turn is None or self.open_question(answered):
            return None
        return is_reached(self.turn.goal, facts)

    def open_question(self, answered: Collection[str]) -> Question | None:
        """Its question, until the learner answers it."""
        return self.question if self.question and self.question.name not in answered else None

    def held(self, answered: Collection[str]) -> tuple[str, ...]:
        """The controls that its question locks until the learner answers it."""
        question = self.open_question(answered)
        return question.holds if question else ()


@dataclass(frozen=True)
class Prose:
    """The text of a lesson or chapter: front matter by key, introduction, steps."""

    front: Mapping[str, str]
    intro: str
    steps: tuple[Step, ...]

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(step.question for step in self.steps if step.question)

    def hidden(self, answered: Collection[str], step: int) -> frozenset[str]:
        """The roles that open questions hide, at this step and at later steps.

        A question doesn't hide at earlier steps what an answered question before it has shown.

        Args:
            answered: names of the questions that the learner has answered.
            step: the learner's step, counted from 1.
        """
        hidden: set[str] = set()
        shown: set[str] = set()
        for number, one in enumerate(self.steps, 1):
            if one.question and one.question.name in answered:
                shown.update(one.question.hides)
            elif one.question and number >= step:
                hidden |= {*one.question.hides} - (shown if number > step else set())
        return frozenset(hidden) - self.steps[step - 1].uncovers

    def opens(self, answered: Collection[str], step: int) -> int:
        """The number of the later step whose question first shows what is hidden at this step.

        0 if the question of this step does, or if nothing is hidden.
        """
        hidden = self.hidden(answered, step)
        for number, one in enumerate(self.steps[step - 1 :], step):
            question = one.open_question(answered)
            if question and not hidden.isdisjoint(question.hides):
                return number if number > step else 0
        return 0


def read(path: Path) -> Prose:
    """Parse one Markdown file.

    Raises:
        ProseError: no front matter, an unknown directive, an answer without a reply.
    """
    text = path.read_text(encoding="utf-8")
    parts = text.split("---\n", 2)
    if len(parts) != 3 or parts[0].strip():
        raise ProseError(f"{path}: it must open with front matter between two lines of ---")
    front = {}
    for line in filter(str.strip, parts[1].splitlines()):
        key, colon, value = line.partition(":")
        if not colon:
            raise ProseError(f"{path}: front matter line without a colon: {line!r}")
        front[key.strip()] = value.strip()
    (_, intro), *steps = sections(parts[2])
    kept = (_step(path, *one) for one in steps if one[0] not in LISTS)
    return Prose(front, intro.strip(), tuple(kept))


def fill(text: str, facts: Mapping[str, float | int | str], mark: Mark | None = None) -> str:
    """The text with every ``{{ name:format }}`` replaced by that fact.

    Args:
        text: Markdown.
        facts: by name.
        mark: what to put for a fact in running text, outside code, given what stands between its
            braces and how it reads; None puts the number. In maths only what stands beside a sign
            is marked, and the maths is split there.

    >>> fill("mean {{ mean:.2f }}", {"mean": 1.0049})
    'mean 1.00'
    >>> fill("mean {{ mean:.2f }}", {"mean": -1.0})
    'mean −1.00'

    Raises:
        ProseError: no such fact, or a format that does not fit it.
    """
    for name in words.placeholders(text):
        if name not in facts:
            raise ProseError(f"no fact {name!r} to fill in. {suggestion(name, facts)}")
    if mark is None:
        return words.fill(text, facts)
    text = _opened(text)
    apart = _apart(text)

    def marked(match: re.Match[str], shown: str) -> str:
        if _within(match.start(), apart):
            return shown
        return mark(f"{match.group(1)}:{(match.group(2) or '').strip()}", shown)

    return words.fill(text, facts, marked)


@lru_cache(maxsize=1024)
def quoted(text: str) -> tuple[tuple[str, str], ...]:
    """The facts that are marked in a text: name and format."""
    text = _opened(text)
    apart = _apart(text)
    return tuple(
        (match.group(1), (match.group(2) or "").strip())
        for match in VALUE.finditer(text)
        if not _within(match.start(), apart)
    )


def _apart(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _APART.finditer(text)]


@lru_cache(maxsize=1024)
def _opened(text: str) -> str:
    """The text with its maths split around numbers, for nothing in maths can be set or be a handle:
    what Streamlit's Markdown draws takes no class, no id and no HTML there.

    >>> _opened("at $w = {{ w:.3g }}$ and $x^{{ n }}$").replace("\u00a0", "_")
    'at $w =$_{{ w:.3g }} and $x^{{ n }}$'
    >>> _opened("$2 = {{ a }} = {{ b }}$.").replace("\u00a0", "_")
    '$2 =$_{{ a }}_$=$_{{ b }}.'
    """
    return _APART.sub(lambda found: _split(found[0]), text)


def _split(apart: str) -> str:
    """Inline maths as pieces of it and facts between them; all else as it is."""
    if not apart.startswith("$") or apart.startswith("$$") or "{{" not in apart:
        return apart
    body, start = apart[1:-1], 0
    parts: list[str] = []
    for match in VALUE.finditer(body):
        before, after = body[start : match.start()], body[match.end() :]
        plain = re.sub(r"\\[{}]", "", VALUE.sub("", body[: match.start()]))
        pairs = ("{", "}"), (r"\left", r"\right")
        depth = sum(plain.count(opens) - plain.count(closes) for opens, closes in pairs)
        # Two numbers beside each other are one product.
        if (
            depth
            or (parts and not before.strip())
            or not _BEFORE.search(before)
            or not _AFTER.match(after)
        ):
            continue
        if before.strip():
            parts += [_SPACE] if parts else []
            parts.append(f"${before.strip()}$" + ("" if before.rstrip().endswith("(") else _SPACE))
        parts.append(match[0])
        start = match.end()
    rest = body[start:].strip()
    if not parts:
        return apart
    if rest:
        parts.append(("" if rest[0] in ",.;:)" else _SPACE) + f"${rest}$")
    return "".join(parts)


def _within(place: int, spans: list[tuple[int, int]]) -> bool:
    return any(start < place < end for start, end in spans)


def _step(path: Path, title: str, body: str) -> Step:
    """Read one step: its directives, its text, and the question or the learner's turn in it."""
    where = f"{path}, step “{title.strip()}”"
    said: dict[str, str] = {}
    lines: list[str] = []
    for line in body.splitlines():
        directive = _DIRECTIVE.match(line)
        if not directive:
            lines.append(line)
        elif directive[1] not in _DIRECTIVES:
            raise ProseError(f"{where}: unknown directive {directive[1]!r}")
        elif directive[1] in said:
            raise ProseError(f"{where}: two directives {directive[1]!r}")
        elif directive[1] in _SET and re.search(r"(?<!\S)[^\s=|]+(?!\S)", directive[2]):
            raise ProseError(f"{where}: `{directive[1]}: {directive[2]}` needs name=value")
        else:
            said[directive[1]] = directive[2]
    lab, reveal = _settings(said.get("lab", "")), _settings(said.get("reveal", ""))
    computed = _computed(where, said["computed"]) if "computed" in said else []
    asked = ["bug", "as=bug"] if "bug" in said else said.get("predict", "").split()
    cuts, number = lab.pop("cuts", None), lab.pop("at", None)
    if number is not None and not (number.isascii() and number.isdigit()):
        raise ProseError(f"{where}: at is a step of the backward pass, 0 or more, not {number!r}")
    lines, turn = _turn(where, lines, {name: said[name] for name in _TASK if name in said})
    step = Step(
        title.strip(),
        "\n".join(lines).strip(),
        lab,
        stage=said.get("stage", ""),
        cuts=cuts,
        graph_step=None if number is None else int(number),
        controls=_names(said["controls"]) if "controls" in said else None,
        touch=_settings(said.get("touch", "")),
        uncovers=frozenset(_names(said.get("uncovers", ""))),
        turn=turn,
        quiz=_cases(said["quiz"]) if "quiz" in said else (),
    )
    if not asked:
        if reveal or computed or step.quiz:
            raise ProseError(f"{where}: there is no question to reveal anything or to be in a quiz")
        return step
    text, options = _options(where, lines)
    settings = _settings(" ".join(asked[1:]))
    hides = tuple(filter(None, settings.get("hides", "").split(",")))
    holds = tuple(filter(None, settings.get("holds", "").split(",")))
    loose = [name for name in holds if name not in {*lab, TRAINING}]
    if loose:
        raise ProseError(f"{where}: {loose[0]!r} is held, so `lab` has to say at what")
    kind = _KINDS.get(settings.get("as", "choice"))
    if kind is None:
        raise ProseError(f"{where}: a prediction is one of {list(_KINDS)}, not {settings['as']!r}")
    by, of_code = settings.get("by", "Torch"), settings.get("about") == "code"
    asks = settings.get("asks", "")
    named = [option.key for option in options if option.fact != option.key]
    if named and not asks:
        raise ProseError(f"{where}: {named[0]!r} names a fact, so the question asks for one: asks=")
    told = tuple(computed)
    holds += tuple(name for name in reveal if name in lab and name not in holds)
    question = Question(asked[0], hides, options, asks, kind, holds, reveal, told, by, of_code)
    return replace(step, text=text, question=question)


def _turn(where: str, lines: list[str], task: Mapping[str, str]) -> tuple[list[str], Turn | None]:
    """Take the paragraph of the learner's turn out of a step's lines."""
    start = next((i for i, line in enumerate(lines) if line.startswith(TURN)), None)
    if start is None and not task:
        return lines, None
    if start is None or len(task) < len(_TASK):
        raise ProseError(f"{where}: {TURN} needs a paragraph, goal, solved and missed")
    end = next((i for i, line in enumerate(lines[start:], start) if not line.strip()), len(lines))
    try:
        goal = Goal.read(task["goal"])
    except GoalError as error:
        raise ProseError(f"{where}: {error}") from None
    missed = _cases(task["missed"])
    text = " ".join(lines[start:end])
    return lines[:start] + lines[end:], Turn(text, goal, _settings(task["solved"]), missed)


def _names(text: str) -> tuple[str, ...]:
    """Names with commas between."""
    return tuple(filter(None, (name.strip() for name in text.split(","))))


def _settings(text: str) -> dict[str, str]:
    """As ``x=1,2 point=2`` has them."""
    return dict(pair.split("=", 1) for pair in text.split())


def _cases(text: str) -> tuple[dict[str, str], ...]:
    """Settings, each for itself, with bars between."""
    return tuple(_settings(one) for one in text.split("|"))


def _computed(where: str, text: str) -> list[tuple[str, str, str]]:
    """Each part a few words and one value."""
    parts = [part.strip() for part in text.split(";")]
    found = [_COMPUTED.fullmatch(part) for part in parts]
    if not all(found):
        raise ProseError(f"{where}: computed is words and a value, as in: of s {{{{ to_s:.3g }}}}")
    return [(one[1], one[2], (one[3] or "").strip()) for one in found if one]


def _options(where: str, lines: list[str]) -> tuple[str, tuple[Option, ...]]:
    """Split a question's lines into its text and its answers."""
    found: list[tuple[str, str, str, list[str]]] = []
    text: list[str] = []
    for line in lines:
        option = _OPTION.match(line)
        if option:
            key, fact, label = option.groups()
            found.append((key, label, fact or key, []))
        elif found and line.strip():
            found[-1][-1].append(line.strip().removeprefix(">").strip())
        elif not found:
            text.append(line)
    if len(found) < 2 or any(not reply for *_, reply in found):
        raise ProseError(f"{where}: a prediction needs two answers or more, each with a reply")
    options = tuple(Option(key, label, " ".join(said), fact) for key, label, fact, said in found)
    return "\n".join(text).strip(), options
