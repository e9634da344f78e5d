"""The recorded graph of a document: its numbers against autograd's, its edges against the text."""

import random
from collections.abc import Iterator

import pytest

from lessons.gradient_tricks.recorder.picture.backward_steps import backward_steps
from lessons.gradient_tricks.tricks import op_types
from lessons.playground.document.as_text import from_text
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document
from lessons.playground.document.presets import presets
from lessons.playground.language.functions import FUNCTIONS
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.outcome import run
from lessons.playground.running.recorded import edges, is_cut, operations, place, recorded, snip
from tests.playground.programs import of_function, ran, valid
from tests.support.amount import cases, seeds
from tests.support.folded import folded


def documents(few: int, many: int) -> Iterator[Document]:
    yield from (one.document for one in presets())
    yield from map(of_function, FUNCTIONS)
    yield from (valid(random.Random(seed), tricks=True) for seed in seeds(few, many))


def leaf_gradients(document: Document, index: tuple[int, ...]) -> dict[str, float]:
    steps = backward_steps(recorded(check(document)), index)
    return {step.node: step.upstream for step in steps if step.kind == "leaf"}


@pytest.mark.random
@folded("seed", seeds(40, 120))
def test_the_stepper_ends_at_autograds_gradients_with_tricks_and_rules(seed: int) -> None:
    document = valid(random.Random(seed), tricks=True)
    found = ran(document, curves=False).gradients["trick_gradient"]
    for entry in range(3):
        leaves = leaf_gradients(document, (entry,))
        for name, gradient in found.items():
            if gradient is None:
                assert name not in leaves
            else:
                assert repr(leaves[name]) == repr(gradient[entry].item())


@pytest.mark.random
def test_ops_are_named_as_the_scissors_name_them() -> None:
    for document in documents(40, 120):
        try:
            recording = recorded(check(document))
        except PlaygroundError:
            continue
        # A comparison is an op to torch; to the language it is part of where(…).
        compared = ("gt", "ge", "lt", "le", "eq", "ne")
        found = [node.name for node in recording.ops if node.type not in compared]
        program = check(document).program
        assert found == [*operations(program)], document
        assert {node.type for node in recording.ops} & {*op_types()} <= {*program.op_types}, (
            document
        )


@pytest.mark.random
def test_snipping_an_edge_is_the_recorders_own_cut_and_mending_gives_back_the_text() -> None:
    """Every edge with a text: rewritten around it, the values stay, and the gradients are those of
    that edge cut."""
    count = 0
    for document in list(documents(12, 12))[:: cases(3, 1)]:
        try:
            before = run(document, curves=False)
        except PlaygroundError:
            continue
        for edge, found in edges(check(document).program).items():
            if is_cut(found):
                continue
            done = snip(document, edge)
            assert snip(done, edge) == document
            after = run(done, curves=False)
            assert repr(after.values) == repr(before.values)
            for role in {*before.gradients} - {"trick_gradient"}:
                assert repr(after.gradients[role]) == repr(before.gradients[role])
            written = recorded(check(done)).gradients
            name, _, operand = edge.rpartition(":")
            cut = recorded(check(document), [(name, int(operand))]).gradients
            assert repr(written) == repr(cut), (edge, document)
            count += 1
    assert count > cases(80, 250)


def test_names_of_the_program_stand_on_its_nodes_and_no_others() -> None:
    document = from_text(
        "x = input([1, 2])\nw = [3, 4]\na = x * w\nb = a\nc, d = unbind(b + 1)\ny = c * d\n"
    )
    labels = {node.name: node.label for node in recorded(check(document))}
    assert labels == {
        "x": "x", "const": "w", "mul": "a", "add": "add", "unbind": "c", "mul_1": "y",
    }  # fmt: skip


@pytest.mark.parametrize("program", ["y = [1, 2]", "y = x", "y = stop_gradient(x)"])
def test_an_output_without_a_gradient_has_a_graph_too(program: str) -> None:
    recording = recorded(check(from_text(f"x = input([1, 2])\n{program}\n")))
    assert recording.output is not None
    assert backward_steps(recording)


@pytest.mark.parametrize(
    ("values", "entry", "index"),
    [("3", 1, ()), ("[3, 4]", 2, (1,)), ("[[1, 2, 3], [4, 5, 6]]", 5, (1, 1))],
)
def test_the_component_is_the_entry_that_the_plot_moves(
    values: str, entry: int, index: tuple[int, ...]
) -> None:
    document = from_text(f"x = input({values})\ny = x * 2\nshow(y, x, entry={entry})\n")
    assert place(check(document)) == index
    value = check(document).inputs["x"]
    assert value[index] == value.flatten()[entry - 1]
