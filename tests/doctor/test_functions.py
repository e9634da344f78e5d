"""Functions modelled on public bug reports: the doctor names each cause, its place and the way out.

The functions of CORRECT are right, and no fault may be reported for them.
"""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from lessons.gradient_tricks.doctor import Trace
from lessons.gradient_tricks.doctor.command import traced_file

FUNCTIONS = Path(__file__).parent / "functions"


class Case(NamedTuple):
    """What is traced and what the answer says: patterns, in which `:15` is line 15 of the file.

    `faults` says how many there are; `never` must not stand anywhere in the answer.
    """

    target: str
    faults: int
    says: tuple[str, ...]
    args: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


HYPER = ("x=randn(2,3):0", "task=randn(5):1")
FUNCTIONAL = r"F\.linear|functional_call"
# From torch 2.14 on, clamp sends 0 back where a value is at its bound.
_AT_BOUND = torch.ones((), requires_grad=True)
PASSES_AT_BOUND = bool(torch.autograd.grad(_AT_BOUND.clamp(max=1.0), _AT_BOUND)[0])

BROKEN = [
    Case(
        "model_read_by_a_helper:ppo_loss", 1,
        ("policy", "cancel", ":16", ":17", ":12", "detach", "no_grad"),
    ),
    Case(
        "method_of_a_module:training_step", 1, ("encoder", r"\.detach\(\)", ":13"),
        ("batch=randn(5,4):0@constant",),
    ),
    Case(
        "attribute_named_like_a_global:cut", 1, (r"self\.net", r"\.detach\(\)", ":18"),
        never=(r"(?<!self\.)\bnet\.[02]",),
    ),
    Case(
        "made_weight_copied_into_a_layer:Hyper", 1, (r"\.data =", ":17", "hyper", FUNCTIONAL),
        HYPER, ("right tensor is returned",),
    ),
    Case(
        "made_weight_copied_into_a_layer:ByCopy", 1, ("copy_", ":20", "hyper", FUNCTIONAL),
        HYPER,
    ),
    Case(
        "sample_of_a_distribution:gaussian", 1, (r"sample\(\)", ":13", "policy", "rsample"),
    ),
    Case(
        "sample_of_a_distribution:discrete", 1, (r"sample\(\)", ":18", "policy", "log_prob"),
        never=("softmax for argmax",),
    ),
    Case(
        "std_of_one_value:loss", 1, ("std", ":10", "one value", "correction"),
        ("obs=randn(1,4):0", "adv=1.5@constant"), ("0 · ∞", "Look at what the op reads"),
    ),
    Case(
        "svd_equal_singular_values:low_rank", 1,
        ("svd", ":7", "singular values", "equal", "svdvals|perturb"), ("scale=1",), ("0 · ∞",),
    ),
    Case(
        "attention_row_fully_masked:loss", 1,
        ("softmax", ":14", "sample 1", "query 2", "masked"), never=("never ran",),
    ),
    Case(
        "acos_at_one:angle", 1, ("acos", ":8", "±1", "atan2|clamp"), ("q=1,0,0,0",),
        ("[Aa]dd a small number",),
    ),
    Case(
        "acos_at_one:clamped", 1,
        ("acos", ":14", "±1", "atan2|1e-6") if PASSES_AT_BOUND else ("clamp", ":14", "flat"),
        ("q=1,0,0,0",), ("[Aa]dd a small number",),
    ),
    Case(
        "function_returns_too_few:adder", 1,
        (r"Distance\.backward", ":14", "1 gradient", "2 inputs", "None"), ("w=1,2", "x=3,3"),
    ),
    Case(
        "all_labels_ignored:loss", 1, ("label", "ignore_index", "-100|−100", ":11", "clamp"),
        ("h=randn(5,4):0",),
    ),
    Case(
        "reversal_negated_twice:doubled", 0, ("Reverse", ":29", r"0\.98"),
        never=("ran without gradients",),
    ),
    Case(
        "zero_grad_before_step:step", 1,
        (r"zero_grad\(\)", ":14", r"step\(\)", ":15", "before"),
    ),
    Case(
        "second_loss_cut:step", 1, (r"\.detach\(\)", ":15", ":16"),
        never=("no op of the forward pass reads",),
    ),
]  # fmt: skip

CORRECT = [
    Case("attribute_named_like_a_global:good", 0, ()),
    Case("correct_programs:lora", 0, (), ("x=randn(4,3):0",)),
    Case("correct_programs:wgan_gp", 0, ()),
    Case("correct_programs:gan_step", 0, ()),
    Case("correct_programs:gumbel", 0, (), ("x=randn(5,3):0",)),
    Case("correct_programs:reinforce", 0, (), ("logits=randn(4,3):0",)),
    Case("correct_programs:moving_scale", 0, (), ("x=1,-2,0.5",)),
]


def named(case: Case) -> pytest.ParameterSet:
    """Name the case for pytest after its target."""
    file, _, name = case.target.partition(":")
    return pytest.param(case, id=f"{file}-{name}" if name else file)


@pytest.mark.parametrize("case", [named(case) for case in BROKEN + CORRECT])
@pytest.mark.filterwarnings("ignore")
def test_a_function_modelled_on_a_bug_report(case: Case) -> None:
    file, _, name = case.target.partition(":")
    answers(case, traced_file(f"{FUNCTIONS / file}.py:{name}", list(case.args)))


def answers(case: Case, made: Trace) -> None:
    """Check what a trace says against its row."""
    file = case.target.partition(":")[0]
    told = str(made)
    counted = re.search(r"^(\d+) faults?:$", told, re.MULTILINE)
    assert int(counted[1] if counted else 0) == case.faults == len(made.faults), told
    assert ("No fault was found" in told) == (case.faults == 0), told
    # No word of the tables counts.
    answer = "\n".join([*(f"{one.says} {one.do}" for one in made.faults)] or made.notes)
    for pattern in case.says:
        place = rf"{file}\.py{pattern}\b" if re.fullmatch(r":\d+", pattern) else pattern
        assert re.search(place, answer), f"{place} is missing (did a line move?) in:\n{told}"
    for pattern in case.never:
        assert not re.search(pattern, told), told
    assert made.html.startswith("<!doctype html>")
