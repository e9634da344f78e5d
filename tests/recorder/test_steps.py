"""The steps are autograd's order and numbers, sum up, and say what each trick did."""

import math
from collections.abc import Collection

import pytest
import torch
from hypothesis import given

from lessons.contract.lesson import Lesson
from lessons.gradient_tricks.recorder import RecordError, record
from lessons.gradient_tricks.recorder.cutting import Cut
from lessons.gradient_tricks.recorder.picture.backward_steps import backward_steps
from lessons.gradient_tricks.recorder.picture.sentences import WORDS
from lessons.gradient_tricks.recorder.picture.step import Step
from lessons.gradient_tricks.recorder.recording.plain_tensor import Value
from lessons.gradient_tricks.tricks import (
    clip_gradient,
    flip_gradient,
    forward_backward,
    gradient_override_map,
    scale_gradient,
    stop_gradient,
    straight_through,
)
from lessons.gradient_tricks.tricks.rule import Op
from lessons.outputs.catalogue import lessons
from tests.recorder.programs import (
    Instruction,
    Program,
    gradients,
    inputs,
    leaf,
    own_run,
    programs,
    recorded,
    run,
)
from tests.support.present import present


def steps_of(
    program: Program,
    *tensors: torch.Tensor,
    index: tuple[int, ...] = (),
    cuts: Collection[Cut] = (),
) -> list[Step]:
    recording = recorded(program, cuts, **dict(zip("xwv", tensors, strict=False)))
    return backward_steps(recording, index)


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_every_lesson_ends_at_autograds_gradients(lesson: Lesson, dtype: str) -> None:
    choice = {one.name: dtype for one in lesson.lab.parameters if one.name == "dtype"}
    if dtype == "bfloat16" and not choice:
        pytest.skip("this lesson computes in one number format")
    start, own = own_run(lesson, **choice)
    watched = {**start.leaves, **start.extra_leaves}
    plain = gradients(own(start.leaves).sum(), watched)
    wanted = [name for name, tensor in watched.items() if tensor.requires_grad]
    expected = dict(zip(wanted, map(Value.of, map(present, plain)), strict=True))
    recording = recorded(lambda *_: own(start.leaves), **watched)
    assert recording.gradients == expected
    for index in (0,), (1,):
        steps = backward_steps(recording, index)
        assert steps[0].kind == "start"
        assert {step.node: step.upstream for step in steps if step.kind == "leaf"} == {
            name: one.component(index) for name, one in expected.items() if one is not None
        }
        for part in [part for step in steps for part in step.parts]:
            if dtype == "float64" and part.local is not None and part.gradient is not None:
                assert part.upstream * part.local == pytest.approx(part.gradient, rel=1e-12)


@given(programs())
@pytest.mark.random
def test_random_programs_end_at_autograds_gradients(program: list[Instruction]) -> None:
    given_inputs = inputs()
    with record(given_inputs) as recording:
        output = run(program, given_inputs)
    steps = backward_steps(recording.backward(output), (1, 2))
    leaves = {step.node: step.upstream for step in steps if step.kind == "leaf"}
    found = gradients(output, given_inputs)
    for name, at, gradient in zip(("x", "w", "m"), ((2,), (), (1, 2)), found, strict=True):
        if gradient is None:
            assert name not in leaves
        else:
            assert repr(leaves[name]) == repr(gradient[at].item())
    assert [step.node for step in steps if step.kind == "op"] == recording.order
    assert all(step.sentence for step in steps)
    for part in [part for step in steps for part in step.parts]:
        if part.state != "flowing" or part.local is None or part.gradient is None:
            continue
        if not part.terms_left_out:
            terms = part.terms or [(part.upstream, part.local)]
            expected = sum(upstream * local for upstream, local in terms)
            assert part.gradient == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


def test_a_fan_in_waits_and_then_adds_up() -> None:
    steps = steps_of(lambda x: torch.exp(x) * torch.sin(x), leaf(0.5))
    ops = {step.node: step for step in steps}
    (waiting,) = ops["sin"].waiting
    assert (waiting.node, waiting.waiting) == ("x", 1)
    assert waiting.parts[0] == ("sin:0", pytest.approx(math.exp(0.5) * math.cos(0.5)))
    assert WORDS("waits", name="x", paths=WORDS.counted("paths", 1)) in ops["sin"].sentence
    (arrived,) = ops["x"].arrived
    assert arrived.total == pytest.approx(sum(part for _, part in arrived.parts))
    assert ops["x"].upstream == arrived.total
    assert not ops["exp"].waiting


def test_a_broadcast_operand_shows_its_products() -> None:
    steps = steps_of(lambda x, w: x * w, leaf(1.0, 2.0, 3.0), leaf(5.0).sum(), index=(1,))
    part = next(part for step in steps for part in step.parts if part.to == "w")
    assert part.terms == ((1.0, 1.0), (1.0, 2.0), (1.0, 3.0))
    assert part.gradient == 6.0
    assert f"1 · 1 + 1 · 2 + 1 · 3 = {sends('6', 'w')}" in steps[1].sentence


def test_a_broadcast_operand_of_many_shows_the_first_few() -> None:
    steps = steps_of(lambda x, w: x * w, torch.ones(100, dtype=torch.float64), leaf(5.0).sum())
    (part,) = steps[1].parts
    assert len(part.terms) + part.terms_left_out == 100
    more = WORDS("more_terms", n=97)
    assert f"{more} = {sends('100', 'w')}" in steps[1].sentence


def half(op: Op, upstream: torch.Tensor) -> torch.Tensor:
    return 0.5 * upstream


def sends(gradient: str, name: str) -> str:
    return WORDS("sends", gradient=gradient, name=name)


@pytest.mark.parametrize(
    ("trick", "word", "op", "sent"),
    [
        (lambda x: flip_gradient(x, 0.5), "reversed", "flip_gradient", "−1.5"),
        (lambda x: scale_gradient(x, 2.0), "scaled", "scale_gradient", "6"),
        (lambda x: clip_gradient(x, -1, 1), "clipped", "clip_gradient", "1"),
        (lambda x: clip_gradient(x, -5, 5), "within_limit", "clip_gradient", "3"),
        (straight_through(torch.round), "straight_through", "straight_through", "3"),
        (forward_backward(torch.sign, lambda x: 2 * x), "surrogate", "forward_backward", "6"),
    ],
)
def test_a_sentence_says_what_the_trick_did(trick: Program, word: str, op: str, sent: str) -> None:
    said = [step.sentence for step in steps_of(lambda x: trick(x * 2) * 3, leaf(3.0))]
    assert WORDS(word, op=op, came="3", sent=sends(sent, "mul")) in said


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        (lambda x: stop_gradient(x * 2) * x, WORDS("stops", op="stop_gradient", operand="mul")),
        (lambda x: (x * 2).sum(), WORDS("product", name="sum", op="sum", sent=sends("1", "mul"))),
        (lambda x: torch.sqrt(x * 0) ** 2, WORDS("nan")),
        (lambda x: stop_gradient(x), WORDS("stops", op="stop_gradient", operand="x")),
    ],
)
def test_a_sentence_says_what_an_op_sends(program: Program, sentence: str) -> None:
    text = " ".join(step.sentence for step in steps_of(program, leaf(3.0)))
    assert sentence in text


def test_sentences_of_overrides_no_grad_and_cuts() -> None:
    with gradient_override_map({"square": half}):
        steps = steps_of(torch.square, leaf(3.0))
    told = {"op": "square", "came": "1", "sent": sends("0.5", "x")}
    assert steps[1].sentence == WORDS("overridden", rule="half", **told)

    def partly(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            y = x * 2
        return x * y

    said = [step.sentence for step in steps_of(partly, leaf(3.0))]
    assert WORDS("without_gradients", name="y", operand="x") in said
    steps = steps_of(lambda x: torch.exp(x) * x, leaf(0.0), cuts={("mul", 0)})
    assert WORDS("cut", name="exp", gradient="0") in steps[1].sentence
    assert [step.node for step in steps] == ["mul", "mul", "x"]


def test_an_output_that_is_an_input() -> None:
    steps = steps_of(lambda x: x, leaf(3.0))
    assert [(step.kind, step.upstream) for step in steps] == [("start", 1.0), ("leaf", 1.0)]


def test_an_output_that_is_read_as_well_counts_its_own_gradient() -> None:
    x = leaf(2.0)
    with record({"x": x}) as recording:
        y = x * 3
        _ = y * y
    steps = backward_steps(recording.backward(y))
    assert [step.upstream for step in steps] == [1.0, 1.0, 3.0]


def test_before_a_backward_pass_there_are_no_steps() -> None:
    with record() as recording:
        leaf(1.0) * 2
    with pytest.raises(RecordError, match=r"call recording\.backward"):
        backward_steps(recording)
