"""Scripts modelled on public bug reports, which the doctor first ran on before it was tuned to any.

`reports.md` has both answers to each: the first one and the present one.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lessons.gradient_tricks.doctor import Trace
from lessons.gradient_tricks.doctor.command import trace_script
from tests.doctor.test_functions import Case, answers, named

SCRIPTS = Path(__file__).parent / "whole_scripts"

CASES = [
    Case("adjacency_detached", 1, (r"net\.phi\.weight", r"net\.theta", r"\.detach\(\)", ":12")),
    Case("advantage_broadcasts", 1, (r"\.detach\(\)", ":13", "7×7")),
    Case("adversarial_loss_as_number", 0, (r"\.item\(\)|\.detach\(\)", ":13")),
    Case("backbone_in_inference_mode", 1, (":18", ":13", "no_grad", r"clone\(\)")),
    Case("backward_twice_on_one_loss", 1, (":19", r"backward\(\) once")),
    Case("cells_in_a_list", 1, ("lstms", ":14", "ModuleList")),
    Case("checkpoint_behind_frozen_embedding", 1, (":15", "layers", "use_reentrant=False")),
    Case("clip_after_step", 1, (r"clip_grad_norm_", ":12", r"step\(\)", ":11", "before")),
    Case("clip_before_backward", 1, (r"clip_grad_norm_", ":12", r"backward\(\)", "after")),
    Case("clipped_values_broadcast", 2, (":12", ":13", "6×6")),
    Case("copied_with_its_optimizer", 1, (r"n2\.module.* get a", "does not hold", ":17")),
    Case("critic_without_zero_grad", 1, ("dis", ":12", ":18", r"zero_grad\(\)")),
    Case("durations_rounded_up", 1, ("ceil", ":12", "predictor")),
    Case(
        "entropy_of_masked_logits", 1, (":13", "mul", "−∞", "xlogy|masked_fill|where"),
        never=("smaller range",),
    ),
    Case("factors_converted_after_requires_grad", 1, (":9", ":8", "leaf")),
    Case("fake_detached_for_generator", 0, (r"fake\.detach\(\)", ":14")),
    Case("fake_reused_for_generator_steps", 1, (r"optimizer_g\.step\(\)", ":20", ":13", "fake")),
    Case("grad_inside_backward", 1, (r"Product\.backward", ":17", "enable_grad")),
    Case("hidden_state_detached_per_video", 1, (":13", "detach")),
    Case("inner_step_without_create_graph", 0, (r"grad\(\)", ":12", "create_graph")),
    Case(
        "linear_made_in_forward", 1, (":13", "Linear", "optimizer", "__init__"),
        never=("plain list",),
    ),
    Case("loss_weights_not_in_optimizer", 0, ("s_det", "s_id", "no optimizer")),
    Case("module_frozen_by_attribute", 1, (":7", r"requires_grad_\(False\)")),
    Case("occlusion_loss_compares", 0, (":13", "bool")),
    Case("outputs_through_numpy", 1, (r"mlps\.0", r"\.numpy\(\)", ":14")),
    Case("parameter_converted_in_init", 1, (r"\bw\b", "leaf", ":10")),
    Case("penalty_while_frozen", 1, ("d_img_optim", "requires_grad=False", ":11")),
    Case("refined_under_no_grad", 0, ("encoder", "no_grad", ":12")),
    Case("relu_in_place_on_parameter", 1, (":13", "leaf", "weight", "clone")),
    Case("residual_added_to_relu_in_place", 1, ("relu", ":13", ":14", "in place")),
    Case("running_mean_keeps_graph", 1, ("moving_mean", ":13", "[Dd]etach")),
    Case("sigma_computed_once", 1, ("rho", ":12")),
    Case("sign_of_learnable_threshold", 1, ("sign", ":14", "learnable_thresh")),
    Case("target_network_with_graph", 0, ("q_next", "no_grad|detach")),
    Case("threshold_wrapped_as_leaf", 1, ("net", ":11", "requires_grad=True", "sigmoid")),
    Case("triangle_angle_at_zero", 1, ("sqrt", ":12", "infinite at 0")),
    Case("update_of_a_leaf_in_place", 1, (":13", "in-place", "leaf", "no_grad")),
    Case("where_between_formulas", 1, (":11", "NaN", "where")),
    Case("zero_grad_in_each_microbatch", 1, (r"zero_grad\(", ":10", ":14")),
]  # fmt: skip


TraceScript = Callable[[Path], Trace]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> TraceScript:
    """Trace a script in this process; the command starts one of its own."""
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setattr(sys, "path", [*sys.path])

    def traced(path: Path) -> Trace:
        stopped: list[Trace] = []
        ended = trace_script(path, [], 2, stopped.append)
        return (stopped or [ended])[0]

    return traced


@pytest.mark.parametrize("case", [named(case) for case in CASES])
@pytest.mark.filterwarnings("ignore")
def test_a_script_modelled_on_a_bug_report(case: Case, script: TraceScript) -> None:
    answers(case, script(SCRIPTS / f"{case.target}.py"))
