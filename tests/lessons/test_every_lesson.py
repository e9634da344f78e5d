"""What holds for every lesson there is, found through the catalogue."""

import contextlib
import itertools
import json
import re
import sys
from datetime import date
from functools import cache

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from lessons.contract.bug import changed
from lessons.contract.lesson import CutError
from lessons.contract.parameters import Choice, Integer, Number, Numbers
from lessons.contract.prose import fill, quoted
from lessons.outputs.catalogue import CatalogueError, chapters, find, lessons, load
from tests.lessons.numbers import kept, of_step, texts
from tests.pages import a_bug
from tests.support.amount import LONG, cases
from tests.support.themed import themed

LESSONS = pytest.mark.parametrize(
    "lesson",
    [
        pytest.param(one, id=one.slug, marks=[pytest.mark.slow] if one.lab.training else [])
        for one in lessons()
    ],
)
MOST_OPS = {"critic_leak": 11_000}  # 200 updates, as many as its control allows
"""Of torch, from a move of a control to its numbers; of most lessons 4,000."""


def settings(lesson):
    """Defaults, then each parameter at the ends of what it accepts; in a long run of its slider."""
    yield {}
    for parameter in lesson.lab.parameters:
        if isinstance(parameter, Number):
            ends = {parameter.low: None, parameter.high: None}
            ends |= dict.fromkeys(parameter.slider) if LONG else {}
            yield from ({parameter.name: parameter.format(end)} for end in ends)
        elif isinstance(parameter, Integer) and parameter.high < 1e5:
            yield from ({parameter.name: str(end)} for end in (parameter.low, parameter.high))
        elif isinstance(parameter, Numbers) and not parameter.optional:
            yield {parameter.name: ", ".join(str(i / 8 - 16) for i in range(parameter.most))}
            yield {parameter.name: "0"}
            yield {parameter.name: "-1e300, 1e300, 5e-324"}
        elif isinstance(parameter, Choice):
            yield from ({parameter.name: name} for name in parameter.names)


def computed(lesson):
    return _computed(lesson.slug)


@cache
def _computed(slug):
    """Each of these settings, its values and what they come to; for several tests."""
    lesson = find(slug)
    known = [(given, lesson.validate(_valid(lesson, given))) for given in settings(lesson)]
    return [(given, values, lesson.compute(values)) for given, values in known]


def shape(part):
    """All that Plotly's validators look at, but not which numbers."""
    if isinstance(part, dict):
        return tuple((name, shape(value)) for name, value in part.items())
    if isinstance(part, np.ndarray):
        return part.dtype.kind, part.ndim
    if isinstance(part, (list, tuple)):
        plain = all(isinstance(one, (int, float)) for one in part)
        return (len(part) > 0, "numbers") if plain else tuple(map(shape, part))
    if isinstance(part, str):
        return re.sub(r"\d+", "0", part)
    return type(part) if isinstance(part, (int, float)) else part


def _valid(lesson, given):
    """An end that another value forbids is tried with that other moved along."""
    if given.keys() == {"noise_low"}:
        return given | {"noise_high": str(max(2.0, float(given["noise_low"])))}
    if given.keys() == {"noise_high"}:
        return given | {"noise_low": str(min(-0.5, float(given["noise_high"])))}
    return given


def asked(lesson):
    """Each question with the values that its step sets in the lab, defaults for the rest."""
    for step in lesson.prose.steps:
        if step.question:
            yield step.question, lesson.validate(step.lab)


@LESSONS
@pytest.mark.random
def test_numbers_are_finite_or_the_reason_is_named(lesson):
    for given, _, result in computed(lesson):
        shown = (*result.series, *result.statistics)
        finite = all(np.isfinite(series.y).all() for series in shown)
        assert finite or result.notes, f"{given}: not finite, and no note says why"


@LESSONS
@pytest.mark.random
@pytest.mark.parametrize("hidden", [frozenset(), frozenset({"trick_gradient", "true_gradient"})])
def test_figures_are_valid_plotly_in_both_themes(lesson, hidden):
    seen = set()
    for given, values, result in computed(lesson):
        for figure in lesson.figures(result, values, hidden):
            known = shape(figure.data), shape(figure.layout)
            for theme in () if known in seen else ("light", "dark"):
                text = go.Figure(themed(figure, theme)).to_json()
                assert "role:" not in text, given
                assert "ink:" not in text, given
            seen.add(known)
            assert hidden or re.search(r"\d", figure.alt), f"{figure.name}: no number in words"
            visible = [trace for trace in figure.data if trace.get("visible", True)]
            roles = {str(trace.get("line", {}).get("color", "")) for trace in visible}
            assert not roles & {f"role:{name}" for name in hidden}


@LESSONS
def test_hidden_numbers_are_in_no_table(lesson):
    values = lesson.validate({})
    result = lesson.compute(values)
    hidden = frozenset({"trick_gradient", "true_gradient"})
    table = lesson.table(result, values, hidden)
    assert all(label for label, _ in table.columns), "a heading without a word is read as nothing"
    for row in table.rows:
        for cell, (_, role) in zip(row, table.columns, strict=True):
            assert (role not in hidden) or "?" in cell


@LESSONS
@pytest.mark.random
def test_result_is_one_strict_json_object(lesson):
    for _, values, result in computed(lesson):
        text = result.to_json(lesson=lesson.slug, parameters=lesson.text(values))
        body = json.loads(text, parse_constant=pytest.fail)
        assert len(body["facts"]) == len(result.facts), "two facts have the same name"
        assert body["series"]["forward"]["role"] == "forward"
        if isinstance(values.get("x"), tuple):
            assert body["series"]["forward"]["x"] == list(values["x"])
        assert {series["role"] for series in body["series"].values()} >= {
            "forward",
            "trick_gradient",
            "true_gradient",
            "intended_gradient",
        }


ROUNDING = {"rounded_share": 3.0, "batch_normalised_1": 1e-7}
"""Facts about float32's rounding errors, with how far two processors may differ."""


@LESSONS
def test_every_placeholder_resolves_to_the_number_that_was_kept(lesson):
    """If one was meant to move, or the lesson is new: `python -m tests.lessons.numbers SLUG`."""
    assert lesson.slug in kept(), f"run `python -m tests.lessons.numbers {lesson.slug}`"
    controls = [p.name for p in lesson.lab.parameters if isinstance(p, (Number, Integer))]
    for step, known in zip(lesson.prose.steps, kept()[lesson.slug], strict=True):
        values = lesson.validate(step.lab)
        result = lesson.compute(values)
        for text in texts(step):
            assert "{{" not in fill(text, result.facts)
        # A number with the name of a control is its handle in the text: it has to be its value.
        for name, _ in quoted(step.text):
            assert name not in controls or result.facts[name] == values[name], name
        told = of_step(lesson, step, result)
        assert known.keys() == told.keys(), step.title
        for name, value in told.items():
            least = ROUNDING.get(name, 1e-9)
            near = value if isinstance(value, str) else pytest.approx(value, rel=1e-3, abs=least)
            assert known[name] == near, (step.title, name)


@LESSONS
@pytest.mark.random
def test_every_placeholder_resolves_whichever_edge_is_cut(lesson):
    """The scissors stay in the learner's hand on every step: no cut may take a fact away."""
    places = sorted({tuple(sorted(step.lab.items())) for step in lesson.prose.steps})
    places = places[: cases(1, len(places))]
    for values in (lesson.validate(dict(place)) for place in places):
        for edge in lesson.edges(values):
            with contextlib.suppress(CutError):
                facts = lesson.compute(values, cuts=(edge,)).facts
                for text in itertools.chain(*map(texts, lesson.prose.steps)):
                    assert "{{" not in fill(text, facts), edge


@LESSONS
def test_predictions_are_computed_and_wrong_answers_told_apart(lesson):
    for question, values in asked(lesson):
        result = lesson.compute(values)
        keys = [option.key for option in question.options]
        assert lesson.right(question, result) in keys
        assert len(set(keys)) == len(keys) >= 2
        texts = [fill(option.text, result.facts) for option in question.options]
        openings = {re.split(r"[.:] ", text)[0] for text in texts}
        assert len(openings) == len(texts), f"{question.name}: two answers begin alike"


@pytest.fixture
def always_warned():
    """Torch warns whenever there is reason to; by itself it does once in a process."""
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


@pytest.mark.parametrize(
    "lesson", [one for one in lessons() if one.bug], ids=lambda lesson: lesson.slug
)
def test_a_bug_fails_its_assertion_and_exactly_one_fix_passes(lesson, always_warned):
    bug = lesson.bug
    (question,) = (one for one in lesson.prose.questions if one.kind == "bug")
    assert [option.key for option in question.options] == list(bug.fixes)
    failures = {key: bug.failure(code) for key, code in (("", bug.broken), *bug.fixes.items())}
    assert failures[""]
    for said in filter(None, failures.values()):
        assert "Warning" not in said
        assert not said.startswith(("NameError", "SyntaxError")), "no fix anybody would try"
    assert [key for key, said in failures.items() if said is None] == [bug.right()]
    thread = r"github\.com/[\w.-]+/[\w.-]+/issues/\d+|discuss\.pytorch\.org/t/\d+"
    assert re.fullmatch(rf"https://({thread})", bug.url)
    assert len(bug.title) > 8, f"{bug.source}: the thread's title, as it was read"
    assert date(2005, 1, 1) < date.fromisoformat(bug.opened) < date.today(), bug.source


def test_a_fix_changes_what_is_there():
    with pytest.raises(ValueError, match="no line of broken has 'y'"):
        changed(a_bug.broken, {"y": "x"})


@LESSONS
def test_the_text_keeps_the_rules_of_a_lesson(lesson):
    """Each rule is a line of the recipe in lessons/chapters/README.md."""
    said = list(rules_broken(lesson))
    assert not said, "\n".join(said)


def rules_broken(lesson):
    """What a lesson's text lacks, a sentence each."""
    steps, front = lesson.prose.steps, lesson.prose.front
    kinds = [question.kind for question in lesson.prose.questions]
    if not 4 <= len(steps) <= 7:
        yield f"A lesson has 4 to 7 steps; this one has {len(steps)}."
    for step in steps:
        if len(step.text.split()) > 120:
            yield f"“{step.title}” has {len(step.text.split())} words; a step has at most 120."
        if not (step.question or step.turn or TRY.search(step.text)):
            yield f"“{step.title}” asks nothing and has no **Try it:** … or **Your turn:** …"
        for tried in TRY.findall(step.text) if not step.question else ():
            labels = [one.label for one in lesson.lab.parameters]
            if not any(word in tried for word in labels) and not SEEN.search(tried):
                yield f"“{step.title}”: **Try it:** names no control by its label, nor the graph."
    if not lesson.title.endswith("?"):
        yield "The title is a question and ends with a question mark."
    if kinds.count("bug") != 1:
        yield f"There is one bug to find; here are {kinds.count('bug')}."
    if len(steps) > 1 and (steps[-2].title != "When to use it" or steps[-2].question):
        yield "The last step but one is “When to use it”, without a question."
    if not steps[-1].question or steps[-1].question.name != "transfer":
        yield "The last step asks `predict: transfer`: what was learned, in a new place."
    if not 5 <= (words := len(front.get("remember", "").split())) <= 25:
        yield f"`remember:` is one sentence of 5 to 25 words; this one has {words}."
    said_all = lesson.folder.joinpath("en.md").read_text("utf-8")
    for label, owner, repository, number in THREAD.findall(said_all):
        name, sign, said = label.rpartition("#")
        if sign and (said != number or name not in (repository, f"{owner}/{repository}")):
            yield f"[{label}] leads to {owner}/{repository}#{number}."
    if lesson.lab.start and not any(
        s.stage == "graph" or s.cuts or s.graph_step is not None for s in steps
    ):
        yield "The lab has a graph: one step uses it (`stage: graph`, `cuts=` or `at=`)."


TRY = re.compile(r"^\*\*Try it:\*\*(.+?)(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)
THREAD = re.compile(
    r"\[([^\]]+)\]\(https://github\.com/([\w.-]+)/([\w.-]+)/(?:issues|pull)/(\d+)\)"
)
SEEN = re.compile(r"graph|scissors|\bStart\b|edge|chart|table|Step|Play|\bdrag")


@LESSONS
def test_a_question_still_to_come_covers_nothing_that_an_answered_one_has_shown(lesson):
    """What one question hides shows when it is answered, but for a later question's own step."""
    for at, step in enumerate(lesson.prose.steps, 1):
        answered = [q.name for q in lesson.prose.questions]
        answered = answered[: answered.index(step.question.name) + 1] if step.question else []
        shown = set(step.question.hides) if step.question else set()
        assert not shown & lesson.prose.hidden(answered, at)


@LESSONS
def test_a_move_of_a_control_takes_few_ops(lesson):
    """What depends on no setting is computed once, and is no part of it."""
    most = MOST_OPS.get(lesson.slug, 4000)
    asked = {tuple(step.lab.items()) for step in lesson.prose.steps}
    for given in asked:
        values = lesson.lab.preview(lesson.validate(dict(given)))
        dict(lesson.compute(values).facts)
        with Ops() as ops:
            dict(lesson.compute(values).facts)  # those too that are computed as they are asked for
        assert ops.count <= most, (
            f"{ops.count} torch ops for one move of a control at {dict(given)}, at most {most}. "
            "Put what depends on no setting into a function under @cache; train in lab.training."
        )


class Ops(TorchDispatchMode):
    """Counts the ops that torch runs in its block, those of backward passes too."""

    count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += 1
        return func(*args, **(kwargs or {}))


@LESSONS
def test_the_highlighted_line_is_in_the_source(lesson):
    assert lesson.highlight in lesson.source


def test_chapters_are_in_order():
    assert [chapter.slug for chapter in chapters()] == [
        "stop_gradient",
        "gone_missing",
        "override_map",
        "reversal",
        "clipping",
        "in_the_wild",
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("en.md", "no front matter", "front matter"),
        ("en.md", "---\norder: 1\ntitle: t\n---\n## s\ntext\n", "summary"),
        (
            "en.md",
            "---\norder: 1\ntitle: t\nshort: t\nsummary: s\nremember: r\n---\n## s\ntext\n",
            "answers",
        ),
        ("lesson.py", "LESSON = 1 +", "invalid syntax"),
        ("lesson.py", "import no_such_module", "no_such_module"),
    ],
)
def test_a_broken_lesson_is_a_loud_error(name, text, message, tmp_path, monkeypatch):
    good = find("right_place").folder
    folder = tmp_path / "broken_chapter" / "broken_lesson"
    folder.mkdir(parents=True)
    for part in ("en.md", "lesson.py"):
        (folder / part).write_text((good / part).read_text("utf-8"), "utf-8")
    (folder / name).write_text(text, "utf-8")
    import lessons.chapters as package

    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    for module in [m for m in sys.modules if m.startswith("lessons.chapters.broken_chapter")]:
        monkeypatch.delitem(sys.modules, module)
    with pytest.raises(CatalogueError, match=message) as caught:
        load(folder)
    assert "broken_lesson" in str(caught.value)
