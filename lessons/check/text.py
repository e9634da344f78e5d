"""Rules for what a lesson's text says, which need nothing computed."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl

from lessons.bench.setting import read_setting
from lessons.check.runs import Problems, Runs
from lessons.contract.parameters import Choice
from lessons.gradient_tricks.text import listed
from lessons.gradient_tricks.text.words import VALUE, in_language, sections
from lessons.outputs.address import step_controls
from lessons.prose.steps import TRY, TURN, Step, quoted

TRY_IT = re.compile(rf"^{re.escape(TRY)}(.+?)(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)
BOLD = re.compile(r"\*\*(.+?)\*\*")
_MOST_WORDS, _MOST_IN_ALL, _MOST_CONTROLS = 90, 420, 4
_THREAD = re.compile(
    r"\[([^\]]+)\]\(https://github\.com/([\w.-]+)/([\w.-]+)/(?:issues|pull)/(\d+)\)"
)
_STAGE_WORDS = re.compile(r"graph|scissors|\bStart\b|edge|chart|table|Step|Play|\bdrag")
_TASK_VERBS = re.compile(
    r"\b(add|change|choose|compare|cut|drag|enter|find|go through|lift|look|lower|mend|move|press"
    r"|put|raise|read|run|set|step|switch|train|type|watch|write)\b",
    re.IGNORECASE,
)
_GRAPH = re.compile(r"\b(graph|scissors|edges?|[Ss]tep (?:on|through|back|backward))\b")
_BUTTONS = {"Start", "More settings"}
"""Words of the page around a lab that a text may set in bold."""
_OF_GRAPH = {"cuts", "at", "snip"}
"""Words that an address and a step's settings have for the graph."""


def form(runs: Runs) -> Problems:
    """A lesson's steps and front matter have the form that learners know from the others."""
    lesson, steps = runs.lesson, runs.lesson.prose.steps
    kinds = [question.kind for question in lesson.prose.questions]
    if not 4 <= len(steps) <= 7:
        yield None, f"A lesson has 4 to 7 steps; this one has {len(steps)}."
    for step in steps:
        if (words := _words(step.text)) > _MOST_WORDS:
            yield step, f"This step has {words} words, at most {_MOST_WORDS}. Shorten it."
        if not (step.question or step.turn or TRY_IT.search(step.text)):
            yield step, "It asks nothing: add a question, **Try it:** … or **Your turn:** …"
    if (words := sum(_words(step.text) for step in steps)) > _MOST_IN_ALL:
        yield None, f"The lesson has {words} words, at most {_MOST_IN_ALL}. Shorten it."
    if not lesson.title.endswith("?"):
        yield None, "The title is a question and ends with a question mark."
    if kinds.count("bug") != 1:
        yield None, f"There is one bug to find; here are {kinds.count('bug')}."
    if len(steps) > 1 and (steps[-2].title != "When to use it" or steps[-2].question):
        yield steps[-2], "The last step but one is “When to use it”, without a question."
    if not steps[-1].question or steps[-1].question.name != "transfer":
        yield steps[-1], "The last step asks `predict: transfer`: the idea in a new place."
    if not 5 <= (words := len(lesson.prose.front.get("remember", "").split())) <= 25:
        yield None, f"`remember:` is one sentence of 5 to 25 words; this one has {words}."
    for label, owner, repository, number in _THREAD.findall(runs.text):
        name, sign, said = label.rpartition("#")
        if sign and (said != number or name not in (repository, f"{owner}/{repository}")):
            yield None, f"[{label}] leads to {owner}/{repository}#{number}. Mend one of them."
    of_graph = (step.stage == "graph" or step.cuts or step.graph_step is not None for step in steps)
    if lesson.lab.start and not any(of_graph):
        yield None, "The lab has a graph: one step uses it (`stage: graph`, `cuts=`, `at=`)."


def order(runs: Runs) -> Problems:
    """No other lesson has the same place in the chapter."""
    lesson = runs.lesson
    place = lesson.prose.front["order"]
    for other in lesson.folder.parent.glob("*/lesson.py"):
        found = re.search(r"^order: (\S+)$", in_language(other.parent).read_text("utf-8"), re.M)
        if other.parent != lesson.folder and found and float(found[1]) == float(place):
            yield None, f"`order: {place}` is also {other.parent.name}'s. Choose another number."


def _words(text: str) -> int:
    return len(re.findall(r"\w+", text))


def bench(runs: Runs) -> Problems:
    """The bench takes the lesson's case, if the head of the text has one."""
    text = runs.lesson.prose.front.get("bench", "")
    case = dict(parse_qsl(text))
    try:
        unknown = sorted(case.keys() - read_setting(case).form.keys())
    except ValueError as error:
        yield None, f"The bench refuses `{text}`. {error}"
        return
    for name in unknown:
        yield None, f"The bench has no control {name!r}, as in `{text}`."


def typed(runs: Runs) -> Problems:
    """No computed number is typed into the text: the run fills it in."""
    steps = {step.title: step for step in runs.lesson.prose.steps}
    for heading, part in sections(runs.text):
        for found in typed_numbers(part):
            yield steps.get(heading), f"{found} is typed. Fill it in, as {{{{ fact:.3g }}}}."


def controls(runs: Runs) -> Problems:
    """A step has few controls in reach, all of which exist."""
    known = {one.name for one in runs.lesson.lab.parameters}
    if taken := sorted(known & _OF_GRAPH):
        yield "lesson.py", f"The graph uses the name {taken[0]!r}. Rename the parameter."
    for step in runs.lesson.prose.steps:
        near = step_controls(runs.lesson, step)
        if unknown := sorted(near - known):
            yield step, f"The lab has no control {unknown[0]!r}; it has {sorted(known)}."
        if len(near) > _MOST_CONTROLS:
            few = "Name fewer in bold, or choose some with `controls:`."
            yield step, f"{len(near)} controls are in reach, at most {_MOST_CONTROLS}. {few}"


def trainings(runs: Runs) -> Problems:
    """A question about a training hides or holds it; moving numbers are where they can update."""
    if not runs.lesson.lab.training:
        return
    values = runs.lesson.validate({"seeds": "1"} if "seeds" in runs.lesson.defaults else {})
    moving = runs.history(values, (), 0).facts.keys() - {"steps"}
    for step in runs.lesson.prose.steps:
        asked, told = step.question, {name for name, _ in quoted(step.text)}
        if asked and asked.is_of_lab and not (asked.hides or asked.holds):
            yield step, "The training answers this question: add `hides=` or `holds=`."
        texts = [(step.text, told)]
        for option in asked.options if asked else ():
            numbers = {name for name, _ in quoted(option.reply)}
            if numbers & moving:
                named = listed(sorted(numbers & moving))
                yield step, f"A reply quotes {named} of the run before there is one. Leave it out."
            texts += [(option.text, set()), (option.reply, numbers)]
        for text, marked in texts:
            for name in moving & {value[1] for value in VALUE.finditer(text)} - marked:
                yield (
                    step,
                    f"{name!r} moves with the training: no code, maths or option can have it.",
                )


def source(runs: Runs) -> Problems:
    """The program's source has the line to highlight."""
    if runs.lesson.highlight not in runs.lesson.source:
        yield "lesson.py", f"No line of the program has {runs.lesson.highlight!r} to highlight."


def try_it_paragraphs(runs: Runs) -> Iterator[tuple[int, Step, str]]:
    """Each paragraph **Try it:** of a step without a question, with the step and its number."""
    for number, step in enumerate(runs.lesson.prose.steps, 1):
        for text in TRY_IT.findall(step.text) if not step.question else ():
            yield number, step, " ".join(text.split())


def try_it(runs: Runs) -> Problems:
    """What a learner should try can be done: it names controls and options that exist."""
    for _, step, text in try_it_paragraphs(runs):
        for why in _undoable(runs, step, text):
            yield step, f"{TRY} {why}: {text}"
    for step in runs.lesson.prose.steps:
        told = step.turn.text if step.turn else ""
        told += "".join(TRY_IT.findall(step.text)) if step.question else ""
        for name in _unknown(runs, told.removeprefix(TURN)):
            yield step, f"“{name}” is neither a control nor one of its choices: {told}"


def _undoable(runs: Runs, step: Step, text: str) -> Iterator[str]:
    """Yield why a learner can't do what this text says."""
    lab = runs.lesson.lab
    known = {one.label: one for one in lab.parameters}
    if not _TASK_VERBS.search(text):
        yield "it tells the learner nothing to do"
    if not any(label in text for label in known) and not _STAGE_WORDS.search(text):
        yield "it names no control by its label, nor the graph"
    for name in _unknown(runs, text):
        yield f"“{name}” is neither a control nor one of its choices"
    for value in re.findall(r"to “(.+?)”", text):
        if value not in _choice_words(runs):
            yield f"“{value}” is no choice of any control"
    if "**Start**" in text and lab.training is None:
        yield "there is nothing to start"
    if _GRAPH.search(text) and lab.start is None:
        yield "there is no graph"
    for label in BOLD.findall(text):
        one = known.get(label)
        if isinstance(one, Choice) and f"**{label}** is set to" not in text:
            said = {key for key, word in one.options if _quotes(text, key) or _quotes(text, word)}
            if said == {step.lab.get(one.name, one.default)}:
                yield f"“{label}” is already at what it says"


def _choice_words(runs: Runs) -> set[str]:
    """The keys and labels of all choices in the lab."""
    choices = (one.options for one in runs.lesson.lab.parameters if isinstance(one, Choice))
    return {word for options in choices for option in options for word in option}


def _unknown(runs: Runs, text: str) -> list[str]:
    """List the bold words that are no number, control, choice or button of the page."""
    known = _choice_words(runs) | _BUTTONS | {one.label for one in runs.lesson.lab.parameters}
    return [name for name in BOLD.findall(text) if name not in known and "{{" not in name]


def _quotes(text: str, word: str) -> bool:
    return any(one in text for one in (f"**{word}**", f"“{word}”", f"`{word}`"))


_FILLED = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_APART = re.compile(
    r"```.*?```|`[^`\n]*`|%\{[^}]*\}|\]\([^)\n]*\)|^<!--.*?-->|\A---\n.*?^---$", re.DOTALL | re.M
)
_ALLOWED = re.compile(
    r"(?:TensorFlow|torch|Python|version|chapter|lesson|step|figure|section|seed)s? \d[\d.]*"
    r"|\b(?:at|with|from|set) \$\w = [-\d]+\$"  # an input that the text chooses
    r"|\b5(?: to |–)95 % of (?:the|all|them)|\b2 to the power"  # what an area or an axis shows
    r"|\b(?:19|20)\d\d\b|#\d+|\b(?:float|bfloat|int)\d+\b|\\frac\{?1\}?\{?2\}?",
    re.IGNORECASE,
)
_TASKS = re.compile(
    r"^\*\*(?:Try it|Your turn):\*\*.*?(?=\n\n|\n<!--|\Z)", re.DOTALL | re.MULTILINE
)
"""What the learner is to set or reach: `touch`, `goal` and `solved` say the same to the rules."""
_SET = re.compile(r"\b(?:to|is|above|below|add) [−-]?\d[\d.]*")
_TYPED = {
    "a decimal number": re.compile(r"(?<![\w.])\d+\.\d+"),
    "a number before a unit": re.compile(
        r"(?<![\w.])\d[\d,]*\s?(?:%|°|ms\b|s\b|seconds?\b|percent\b|per cent\b|draws\b|epochs\b)"
    ),
    "a stated result": re.compile(
        r"(?:\b(?:is|are|was|gives?|gave|returns?|returned|prints?|printed|becomes?|equals|about"
        r"|gets?|arrives?)|[=≈])\s*(?:exactly |only |about |again )?\**[-−]?"
        r"(?:[3-9]|\d\d+)(?![\w^²³.]|\s*[\\(])"
    ),
}


def typed_numbers(text: str) -> list[str]:
    """Find the numbers in a text that state a result, each with a few words around it.

    Returns three kinds, outside code, filled-in values and what `_ALLOWED` names: decimals; whole
    numbers before a unit or %; numbers from 3 up after "is", "gives", "=" and the like.
    """
    text = _TASKS.sub(lambda task: _SET.sub("", task[0]), text)
    plain = _ALLOWED.sub("", _FILLED.sub("", _APART.sub("", text)))
    return [
        f"{what} in “{plain[max(0, match.start() - 30) : match.end() + 20]}”".replace("\n", " ")
        for what, pattern in _TYPED.items()
        for match in pattern.finditer(plain)
    ]
