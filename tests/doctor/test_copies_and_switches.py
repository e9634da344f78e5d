"""Each way past autograd is named with its line and the way out, and none of the usual ones."""

import gc
import inspect
import types
from pathlib import Path
from typing import Any

import pytest
import torch

from lessons.gradient_tricks.doctor import Trace, trace
from tests.doctor import copies_and_switches as programs

FILE = "copies_and_switches.py"
SOURCE = Path(programs.__file__).read_text("utf-8").splitlines()

# program: (in the fault's text, code on its line, in its advice)
BROKEN = {
    programs.constructor: ("torch.Tensor([", "total = torch.Tensor", "torch.stack"),
    programs.new_tensor: ("h.new_tensor(h)", "h.new_tensor", "Use h itself"),
    programs.variable: ("Variable(h, requires_grad=True)", "v = Variable", "with h itself"),
    programs.from_a_list: (".tolist()", "(x * 2).tolist()", "tensor itself"),
    programs.ByData: ("copy_ on .data", "weight.data.copy_", "F.linear(x, w)"),
    programs.ByBrackets: ("__setitem__", "self.layer.weight[:]", "F.linear(x, w)"),
    programs.ByState: ("load_state_dict", "self.layer.load_state_dict", "F.linear(x, w)"),
    programs.ByVector: ("vector_to_parameters", "nn.utils.vector_to", "functional_call"),
    programs.Regularised: ("nn.Parameter(w)", "self.layer.weight = nn.Par", "F.linear(x, w)"),
    programs.deep_copy: ("copy.deepcopy(net)", "fast = copy.deepcopy", "functional_call"),
    programs.decorated: (
        "encode is decorated with @torch.no_grad",
        "@torch.no_grad()",
        "decorator",
    ),
    programs.by_a_flag: ("set_grad_enabled block", "with torch.set_grad_enabled", "that block"),
    programs.multinomial: ("torch.multinomial(x", "torch.multinomial(x", "log_prob"),
    programs.equation: ("grad()", "slope = torch.autograd.grad", "create_graph=True"),
    programs.dropped: ("h.detach()", "h.detach()", "h = h.detach()"),
    programs.temporal_difference: ("8×8", "functional.smooth_l1_loss(value", "squeeze(1)"),
    programs.hooked: ("a hook on h", "h.register_hook", "gradient to pass on"),
    programs.saturated: ("sigmoid", "torch.sigmoid(x * 400)", "with_logits"),
    programs.at_zero: ("norm", "return v.norm()", "norm is at 0"),
    programs.Binary: (
        "Sign in",
        "Sign.apply(layer",
        f"Sign.backward returns in tests/doctor/{FILE}:",
    ),
    programs.routed: ("topk in", "chosen = torch.topk", "values that it also gives"),
    programs.negative_power: ("pow", "(-x.abs()) ** 0.5", "x.abs() ** 0.5"),
    programs.after_an_evaluation: ("switched gradients off", "set_grad_enabled(False)", "no_grad"),
    programs.sensitivity: ("jacobian() in", "functional.jacobian", "jacobian(…, create_graph"),
    programs.Tower: ("right.weight, right.bias", "with torch.no_grad()", "that block"),
}
CORRECT = (
    *(programs.pairwise, programs.kernel, programs.attack, programs.first_order),
    *(programs.adaptive_weight, programs.detached_penalty),
    *(programs.Average, programs.Gated, programs.ZeroConvolution),
)
LOOPS = (
    *("by_hand", "moving_average", "first_order_meta"),
    *("soft_actor_critic", "distillation", "equation_of_motion", "second_order_meta"),
    *("attack_by_backward", "gradients_of_each_task", "state_detached_for_each_step"),
    *("decoder_steps_more_often", "average_of_weights", "spectral_norm"),
)
SHAPES = {programs.first_order: (3, 1), programs.ZeroConvolution: (1, 1, 5, 5)}


def traced(program: Any) -> Trace:
    torch.manual_seed(0)
    is_module = inspect.isclass(program)
    takes = inspect.signature(program.forward if is_module else program).parameters
    made = [one for one in takes if one in ("x", "w")]
    given = [torch.randn(SHAPES.get(program, (3,))).requires_grad_(not is_module) for _ in made]
    if program is not programs.deep_copy:
        return trace(program, *given)
    gc.unfreeze()  # by conftest.py; what is frozen is not among the objects of before the run
    try:
        return trace(program)
    finally:
        gc.freeze()


def lines_of(text: str) -> list[str]:
    return [f"{FILE}:{at}" for at, line in enumerate(SOURCE, start=1) if text in line]


@pytest.mark.parametrize("program", BROKEN, ids=lambda one: one.__name__)
@pytest.mark.filterwarnings("ignore")
def test_the_cause_is_one_fault_with_its_line_and_the_way_out(program: Any) -> None:
    says, line, do = BROKEN[program]
    made = traced(program)
    assert len(made.faults) == 1, str(made)
    (fault,) = made.faults
    assert says in fault.says
    assert do in fault.do
    places = lines_of(line)
    assert places
    assert any(place in fault.says for place in places), fault.says


@pytest.mark.parametrize("program", CORRECT, ids=lambda one: one.__name__)
def test_a_correct_program_has_no_fault(program: Any) -> None:
    made = traced(program)
    assert made.faults == [], str(made)


@pytest.fixture
def correct_loops() -> Any:
    """Import it late: its optimizers load torch's compiler, and collecting the tests needs none."""
    from tests.doctor import correct_loops

    return correct_loops


@pytest.mark.parametrize("name", LOOPS)
def test_an_odd_training_step_is_no_fault(name: str, correct_loops: types.ModuleType) -> None:
    torch.manual_seed(0)
    made = trace(getattr(correct_loops, name))
    assert made.faults == [], str(made)
    assert not any("opaque" in note for note in made.notes)


def test_a_default_device_changes_no_answer(correct_loops: types.ModuleType) -> None:
    torch.set_default_device("cpu")
    try:
        assert trace(correct_loops.equation_of_motion).faults == []
        (fault,) = traced(programs.equation).faults
    finally:
        torch.set_default_device(None)
    assert fault.kind == "no_create_graph"


def test_what_is_usual_and_looks_wrong_is_a_note() -> None:
    assert "a copy of student, which trains" in traced(programs.Average).notes[0]
    assert "while gate is 0" in traced(programs.Gated).notes[0]
    assert "create_graph" in traced(programs.attack).notes[0]
    assert traced(programs.through_numpy).notes[0].startswith("h.detach() in")
