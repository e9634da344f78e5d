"""Whatever a learner's names are, a file that is taken home computes what the app shows."""

import ast
import keyword
from functools import cache

import pytest

from lessons.playground.codegen.program_file import code, program_code
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document, Input, Override
from lessons.playground.language.functions import CALLABLE
from lessons.playground.language.playground_error import PlaygroundError
from tests.playground.names import LOOKALIKES, NAMES, documents, usable
from tests.support.amount import cases

text = cache(code)


def parts(document: Document) -> tuple[str, str, str]:
    """What stands above the function ``program``, the function, and what stands below."""
    above, start, rest = text(document).partition("\ndef program(")
    program, _, below = rest.partition("\n\n\n")
    assert start
    assert below
    return above, f"def program({program}", below


@cache
def tried() -> list[tuple[Document, Document]]:
    """Programs under Python's names, torch's, and every name in the generated files."""
    plain = documents(NAMES)[0][1]
    mine = {*check(plain).program.names, *check(plain).inputs, *NAMES}
    fresh = (word for word in sorted(_words(ast.parse(text(plain)))) if word not in mine)
    return documents([*NAMES, *(word for word in fresh if word[0].isalpha() and len(word) <= 32)])


def _words(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        for field in ("id", "arg", "name", "attr", "asname"):
            word = getattr(node, field, None)
            found |= set(word.split(".")) if isinstance(word, str) else set()
    return found - {""}


def test_hundreds_of_names_are_tried():
    assert len(usable(NAMES)) >= 300
    inputs = {name for one, _ in tried() for name in check(one).inputs}
    results = {name for one, _ in tried() for name in check(one).program.names}
    assert set(usable(NAMES)) <= inputs & results


@pytest.mark.slow
@pytest.mark.random
def test_names_change_nothing_but_themselves():
    """Under any names a file computes what it computes under plain ones.

    Around ``program`` the learner's names are text alone; within, it is the very program of the
    plain names: none hides a name of the file's own, and no two became one.
    """
    for document, plain in tried()[:: cases(12, 1)]:
        (above, mine, below), (same, others, under) = parts(document), parts(plain)
        assert above == same
        for name, other in zip(check(document).inputs, check(plain).inputs, strict=True):
            below = below.replace(f'\n    "{name}": ', f'\n    "{other}": ', 1)
        assert below == under
        assert numbered(mine) == numbered(others)


def numbered(function: str) -> str:
    """The function's tree with a number for each name that it gives itself."""
    tree = ast.parse(function)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.arg | ast.Name)]
    own = [one.arg if isinstance(one, ast.arg) else one.id for one in names
           if isinstance(one, ast.arg) or isinstance(one.ctx, ast.Store)]  # fmt: skip
    number = {name: f"own_{place}" for place, name in enumerate(dict.fromkeys(own))}
    for one in names:
        field = "arg" if isinstance(one, ast.arg) else "id"
        word = getattr(one, field)
        setattr(one, field, number.get(word, word))
    return ast.dump(tree)


@pytest.mark.parametrize("word", [*(n for n in NAMES if n not in usable(NAMES)), *LOOKALIKES])
def test_what_cannot_be_a_name_is_refused_where_it_is_typed(word):
    assert keyword.iskeyword(word) or word in CALLABLE or not word.isascii() or word[0] == "_"
    with pytest.raises(PlaygroundError) as refused:
        check(Document((Input(word, 1.0),), "y = sin(1)"))
    assert refused.value.part == "input"
    with pytest.raises(PlaygroundError) as refused:
        check(Document((Input("start", 1.0),), f"{word} = start * 2\nlast_one = start * 3"))
    assert refused.value.line == 1
    assert refused.value.message


def test_a_name_that_the_program_reads_of_the_file_gets_an_underscore_behind_it():
    given = (Input("torch", (1.0,)), Input("torch_", (2.0,)), Input("p1", (2.0,)))
    rule = Override("mul", "grad * 2")
    document = Document(given, "a = 2\nb = sqrt(torch + torch_)\ny = p1 * a", overrides=(rule,))
    pane, file = program_code(check(document)), code(document)
    assert "def program(torch__, torch_, p1):" in pane
    assert "    b = torch.sqrt(torch__ + torch_)\n" in pane
    assert "def program(torch__, torch_, p1_):" in file
    assert "    y = overridden(lambda p1: p1 * a, rule_1)(p1_)\n" in file
    assert '    "torch": torch.tensor([1.0], requires_grad=True),\n' in file
