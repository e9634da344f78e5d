"""The functions: each row is complete, and runs on any device; draws, and what reads a row."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from lessons.gradient_tricks.tricks import op_types, playground
from lessons.gradient_tricks.tricks.playground import onehot_sample
from lessons.playground.document.check import check
from lessons.playground.document.contents import Document, Input, Numbers, Override
from lessons.playground.document.presets import presets
from lessons.playground.language.functions import CALLABLE, FUNCTIONS
from lessons.playground.language.words import HELP
from lessons.playground.running.budget import Budget, Plan
from lessons.playground.running.execute import run_forward
from lessons.playground.running.outcome import run
from lessons.playground.running.sweep import sweep
from tests.playground.programs import of_function
from tests.playground.said import said
from tests.support.folded import folded
from tests.support.present import present

X = ((1.0, 3.0, 2.0, -1.0), (0.5, 0.0, 700.0, 710.0))


def found(program: str, x: Numbers = X, **more: Any) -> tuple[torch.Tensor, torch.Tensor]:
    outcome = run(Document((Input("x", x),), program, **more), curves=False)
    gradient = present(outcome.gradients["trick_gradient"]["x"])
    return outcome.values[outcome.output], gradient


def test_each_function_has_a_sentence_and_each_sentence_a_function() -> None:
    assert {*HELP} == {*CALLABLE}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_row_is_complete(name: str) -> None:
    function = FUNCTIONS[name]
    assert function.help.endswith(".")
    assert function.signature.startswith(f"{name}(")
    assert function.op is None or function.op in op_types()


def test_numbers_alone_make_tensors_of_the_documents_own_format() -> None:
    for dtype in ("float64", "float32", "bfloat16"):
        document = Document(
            (Input("x", (1.0, -1.0)),), "y = where(x > 0, 1, 0) * sqrt(2) * [1, 2]", dtype=dtype
        )
        assert run_forward(check(document)).output.dtype == getattr(torch, dtype)


@pytest.mark.filterwarnings("ignore:gradient_override_map")
@folded("document", [*(one.document for one in presets()), *map(of_function, FUNCTIONS)])
def test_all_of_a_program_is_on_its_device(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The meta device, like any other, refuses an op that mixes devices; it has no numbers."""
    torch.ones(2, device="meta") ** 2  # takes longer than a program may: it imports a lot
    checked = replace(check(document), device=torch.device("meta"))
    to: Callable[..., torch.Tensor] = torch.Tensor.to

    def zeros(one: torch.Tensor, *where: object) -> torch.Tensor:
        return to(torch.zeros_like(one, device="cpu") if where[0] == "cpu" else one, *where)

    made = run_forward(checked).values.values()
    assert all(one.is_meta for one in made if torch.is_tensor(one) and one.dim())
    monkeypatch.setattr(torch.Tensor, "to", zeros)
    assert sweep(checked, Plan(9, 2, 12), Budget())[0].y.shape == (9,)
    with torch.device("meta"):
        assert playground.uniform(0, 1, seed=3).is_meta, "in a file"


def test_a_rule_for_an_op_that_a_draw_is_made_of_never_runs() -> None:
    """They are no ops of the program: nothing is told of them, and no gradient comes to them."""
    for key in ("cumsum", "sum", "mul", "to"):
        document = Document((Input("x", X[0]),), "y = onehot_sample(x * x, 0.5) + x",
                            overrides=(Override(key, "grad * 9, None"),))  # fmt: skip
        outcome = run(document, curves=False)
        assert present(outcome.gradients["trick_gradient"]["x"]).tolist() == [1.0] * 4
        never = said("rule_without_op", key), said("rule_not_reached", key)
        assert any(note.text in never for note in outcome.notes)


def test_a_class_is_drawn_as_often_as_its_probability_says() -> None:
    p = torch.tensor([0.0, 0.125, 0.0, 0.5, 0.375, 0.0]).double()
    u = (torch.arange(1000).double() + 0.5) / 1000
    assert onehot_sample(p, u).mean(0).tolist() == p.tolist()
    assert onehot_sample(40 * p, u).equal(onehot_sample(p, u)), "weights will do"
    ends = onehot_sample(p, torch.tensor([0.0, 0.125, 0.625, 1.0]).double())
    assert ends.argmax(-1).tolist() == [1, 3, 4, 4], "no class of probability 0 at an end"


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_each_draw_is_one_class_in_the_documents_format(dtype: str) -> None:
    rows = ((1.0, 2.0, 3.0), (3.0, 2.0, 1.0))
    given = (Input("x", rows), Input("u", (0.05, 0.95)))
    document = Document(given, "y = onehot_sample(softmax(x), u)", dtype=dtype)
    drawn = run_forward(check(document)).output
    assert drawn.dtype == getattr(torch, dtype)
    assert drawn.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert not drawn.requires_grad
    one = Document((Input("x", rows[0]), given[1]), "y = onehot_sample(softmax(x), u)", dtype=dtype)
    assert run_forward(check(one)).output.tolist() == [[1, 0, 0], [0, 0, 1]], "a list draws twice"


def test_the_budget_counts_a_whole_row_for_ops_that_read_one() -> None:
    row = tuple(float(place) for place in range(512))
    for call, slow in (("topk(x, 1)", 60), ("logsumexp(x)", 10), ("select(x, 0)", 1)):
        budget = Budget()
        run_forward(check(Document((Input("x", row),), f"y = {call}")), budget=budget)
        spent = budget.spent()
        assert (spent.numbers, spent.work) == (512, slow * 512)
