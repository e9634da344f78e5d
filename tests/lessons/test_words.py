"""Every word that a learner reads in a lesson is in its en.md, under a name that is used."""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from lessons.contract.parameters import Choice, Number
from lessons.contract.words import Words
from lessons.gradient_tricks.text import words as texts
from lessons.gradient_tricks.text.words import ProseError
from lessons.outputs.catalogue import ROOT
from tests.support.folded import folded

LESSONS = [
    path
    for path in sorted(ROOT.glob("*/*/*.py"))
    if path.name != "bug.py" and not re.match("in_(torch|tensorflow|jax)", path.name)
]
ROOMS = [
    *("lessons/contract", "lessons/kit", "lessons/training", "lessons/outputs"),
    *("lessons/playground", "lessons/gradient_tricks/recorder", "pages/labs", "pages/ui"),
]
FOR_PROGRAMS = ("play.py", "messages.py", "bundle.py", "component.py", "page.py", "derivatives.py")
"""They describe command and socket to programmers, hold JavaScript and CSS, or list ops."""
MODULES = [
    *LESSONS,
    *(
        path
        for room in ROOMS
        for path in sorted((ROOT.parents[1] / room).rglob("*.py"))
        if path.name not in FOR_PROGRAMS
    ),
]
PLACE = re.compile("(top|middle|bottom) (left|center|right)")
"""Where Plotly sets a text."""
STARTS = ("<", "import ", "python -m ", "pip ", "gradient-tricks ", "gt.")
"""How code and HTML begin."""
CALL = re.compile(r"[\w.]+\(.*\)")
COMMENT = re.compile(r'("""|# )\w')
"""The start of words that a learner reads in code of several lines."""
SHOWN_ERRORS = ("PlaygroundError", "refused", "error", "_error", "_wrong", "_wrong_field")
"""A learner reads what they say."""
CODE_OR_TORCHS = (
    "inputs, outputs",
    "def program(",
    "with gradient_override_map({",
    " is None",
    " is not None",
    "guided relu",
    "sign only",
    "lambda x: ",
    "return by_value, by_norm",
    "=lambda x: ",
    "modified by an inplace operation",
    "detached in-place",
    "does not require grad|not have been used in the graph|no graph was built",
    " is at version ",
    "None of the inputs have requires_grad",
    "To copy construct from a tensor",
)
"""Parts of code and of torch's messages."""
TEXT = """
## Settings
- stop: Where it stops
  help: Nothing passes there.
  - no: nowhere
  - yes: here
- rate: Learning rate

## Words
- found: Loss {{ first }} → {{ last:.2f }}
- steps: {{ n }} step | {{ n }} steps
"""
CODE = 'WORDS("found", first="1", last=2.0), WORDS.counted("steps", 3)'


def sentences(source: str) -> Iterator[str]:
    """The texts of a module that read like a sentence: two words with a space between them."""
    tree = ast.parse(source)
    apart = {
        id(part) for node in ast.walk(tree) for part in code_in(node) for part in ast.walk(part)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
            text = node.value
            code = "\\" in text or text.startswith(STARTS)
            code = code or bool(CALL.fullmatch(text))
            code = code or ("\n" in text and not COMMENT.search(text))
            words = re.search(r"[A-Za-z’]{2,},? [A-Za-z]", text)
            if words and not code and not PLACE.fullmatch(text):
                yield text


def code_in(node: ast.AST) -> Sequence[ast.AST]:
    """The parts of a node that no learner reads as words: docstrings, code, errors."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return [node]
    if isinstance(node, ast.Raise):
        made = getattr(node.exc, "func", None)
        return [] if getattr(made, "attr", getattr(made, "id", "")) in SHOWN_ERRORS else [node]
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_row":
        return node.args[:1]  # a function of the playground with its parameters
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "opaque":
        return node.args  # the doctor prints it
    if isinstance(node, ast.keyword) and node.arg == "highlight":
        return [node]
    return []


@folded("path", MODULES, ids=lambda path: path.relative_to(ROOT.parents[1]))
def test_no_sentence_stands_in_a_lessons_python(path: Path) -> None:
    found = [one for one in sentences(path.read_text("utf-8")) if one not in CODE_OR_TORCHS]
    assert not found, f"Write it into en.md, and ask for it by its name: {found}"


def written(tmp_path: Path, text: str = TEXT, code: str = CODE) -> Words:
    (tmp_path / "en.md").write_text(text, "utf-8")
    (tmp_path / "lesson.py").write_text(code, "utf-8")
    return Words(str(tmp_path / "lesson.py"))


def test_a_text_is_filled_in(tmp_path: Path) -> None:
    words = written(tmp_path)
    assert words("found", first="−1", last=0.123) == "Loss −1 → 0.12"
    assert [words.counted("steps", n) for n in (1, 2000)] == ["1 step", "2,000 steps"]


def test_a_translation_is_read_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "LANGUAGE", "eo")
    assert written(tmp_path)("found", first="−1", last=0.123).startswith("Loss")
    (tmp_path / "eo.md").write_text(TEXT.replace("Loss", "Perdo"), "utf-8")
    assert written(tmp_path)("found", first="−1", last=0.123) == "Perdo −1 → 0.12"


def test_settings_get_their_words(tmp_path: Path) -> None:
    stop, rate = written(tmp_path).labelled(
        (Choice("stop", "no", names=("no", "yes")), Number("rate", "1"))
    )
    assert (stop.label, stop.help) == ("Where it stops", "Nothing passes there.")
    assert isinstance(stop, Choice)
    assert stop.options == (("no", "nowhere"), ("yes", "here"))
    assert (rate.label, rate.help) == ("Learning rate", "")


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        (TEXT + "- lost: A word.\n", CODE, "'lost' is used in no file as WORDS"),
        (TEXT, CODE + ', WORDS("gone")', "'gone' is missing"),
        (TEXT + "- found: Again.\n", CODE, "'found' stands twice"),
        (TEXT + "no name\n", CODE, "not 'no name'"),
        (TEXT.replace("  help:", "  hepl:"), CODE, "not '  hepl: Nothing"),
    ],
)
def test_a_broken_list_is_refused_when_it_is_read(
    tmp_path: Path, text: str, code: str, says: str
) -> None:
    with pytest.raises(ProseError, match=re.escape(says)) as caught:
        written(tmp_path, text, code)
    assert "en.md" in str(caught.value)


def test_other_placeholders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProseError, match="'found' has"):
        written(tmp_path)("found", first="1")


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ((Number("rate", "1"),), "no setting 'stop'"),
        ((Number("rate", "1"), Number("stop", "0"), Number("size", "1")), "'size' is missing"),
        ((Choice("stop", "no", names=("no",)), Number("rate", "1")), "the options"),
    ],
)
def test_settings_and_their_words_belong_together(
    tmp_path: Path, parameters: tuple[Choice | Number, ...], says: str
) -> None:
    with pytest.raises(ProseError, match=says):
        written(tmp_path).labelled(parameters)
