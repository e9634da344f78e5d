"""The articles' snippets as presets: against TensorFlow's own numbers, else closed forms."""

import math

import pytest
import torch

from lessons.playground import Document, Input, Override, from_text, run
from lessons.playground.document.presets import preset, presets
from tests.engine.reference import CASES


def values(given):
    """A case's number or list as an input's values, NaN and infinities as floats."""
    return tuple(values(one) for one in given) if isinstance(given, list) else float(given)


def fed(name: str, case: dict, *inputs: str) -> Document:
    """The preset with a case's inputs and number format."""
    document = preset(name)
    given = tuple(Input(one, values(case["inputs"][one])) for one in inputs)
    return document.with_(inputs=given, dtype=case["inputs"].get("dtype", "float64"))


def agrees(document: Document, gradient, forward=None, by: str = "x", rtol: float = 1e-12):
    found = run(document, curves=False)
    tolerance = rtol if document.dtype == "float64" else 2e-7
    for here, there in ((found.gradients["trick_gradient"][by], gradient),
                        (found.values[found.output], forward)):  # fmt: skip
        if there is not None:
            expected = torch.tensor(values(there), dtype=torch.float64)
            torch.testing.assert_close(here, expected, rtol=tolerance, atol=0, equal_nan=True)
    return found


def test_every_preset_has_a_title_a_sentence_and_runs():
    names = [one.name for one in presets()]
    assert len(names) == len(set(names)) > 40
    for one in presets():
        document = one.document
        assert document.title
        assert document.about.endswith(".")
        found = run(document)
        assert found.curves
        assert not [note for note in found.notes if "NaN" in note.text]


@pytest.mark.parametrize(
    "case",
    [
        c
        for c in CASES
        if c
        in (
            "s0_article1",
            "s0_article2",
            "s0_vec64",
            "s0_near0",
            "s0_zero",
            "s0_uneg",
            "s0_ubroadcast",
        )
    ],
)
@pytest.mark.parametrize(
    ("name", "key", "output"),
    [
        ("noise_leaks", "naive", "z_naive"),
        ("wrong_place", "midgraph", "z_midgraph"),
        ("right_place", "end", "z_fixed_end"),
    ],
)  # fmt: skip
def test_the_noise_example_gives_tensorflows_numbers(case, name, key, output):
    given = CASES[case]
    if case in ("s0_near0", "s0_zero"):
        # Near 0 the true gradient is ∞ or NaN; the notes must say so.
        found = agrees(fed(name, given, "x", "u"), given["gradients"][f"dz_dx_{key}"], rtol=1e-9)
        bad = any(not math.isfinite(float(one)) for one in given["gradients"][f"dz_dx_{key}"])
        assert bad == any("gradient autograd gives is" in note.text for note in found.notes)
        return
    agrees(fed(name, given, "x", "u"), given["gradients"][f"dz_dx_{key}"],
           given["outputs"][output])  # fmt: skip


def test_a_linear_op_after_the_trick_stays_clean():
    case = CASES["s0_down_linear"]
    agrees(fed("linear_after", case, "x", "u"), case["gradients"]["dw_dx"], case["outputs"]["w"])


def test_a_square_after_the_trick_reads_the_noise():
    case = CASES["s0_alt_custom_gradient"]
    agrees(fed("square_after", case, "x", "u"), case["gradients"]["dw_dx"], case["outputs"]["w"])


def test_a_rule_for_the_noise_gives_a_clean_gradient_and_the_first_idea_does_not():
    case = CASES["s0_alt_mul_override_identity"]
    agrees(fed("override_noise", case, "x", "u"), [-1, -1, 1, 1], case["outputs"]["z"])
    wrong = fed("override_noise_wrong", case, "x", "u")
    agrees(wrong, case["gradients"]["dz_dx"], case["outputs"]["z"])


def test_stop_gradient_alone_gives_none():
    found = run(preset("stop_gradient_alone"))
    assert found.gradients["trick_gradient"]["x"] is None
    assert found.gradients["true_gradient"]["x"].tolist() == [1, 1]
    assert CASES["s0_stop_gradient_none"]["gradients"]["ds_dx"] is None


@pytest.mark.parametrize(
    ("name", "gradient", "true"),
    [
        ("clip_identity", 0.1, 1), ("clip_inside", 0.3, 3), ("clip_outside", 0.1, 3),
        ("halve", 108, 216), ("halve_outside", 216, 216), ("halve_square", 3, 216),
        ("halve_square_right", 108, 216), ("halve_mul", 18, 216), ("comparison", 1, 1),
        ("mul_gradient", 10, 10), ("mul_visible", 100, 10),
    ],
)  # fmt: skip
def test_the_override_examples(name, gradient, true):
    found = run(preset(name))
    assert found["trick_gradient"].y.tolist() == pytest.approx([gradient], rel=1e-12)
    assert found["true_gradient"].y.tolist() == pytest.approx([true], rel=1e-12)
    cases = {"clip_identity": "s1_clip_article", "halve": "s1_half_in_article",
             "halve_outside": "s1_half_out_article"}  # fmt: skip
    if name in cases:
        given = CASES[cases[name]]["gradients"]
        reference = given.get("with_clipping") or given["d_output_A"]
        assert reference == pytest.approx([gradient], rel=1e-6)


@pytest.mark.parametrize("case", ["s1_flip_l1", "s1_flip_l0", "s1_flip_l_tensor"])
def test_flips(case):
    given = CASES[case]
    lams = given["inputs"]["l"]
    rows = zip(lams, given["gradients"].get("dL_dx_per_l", []), strict=True) if isinstance(
        lams, list) else [(lams, given["gradients"]["dL_dx"])]  # fmt: skip
    for lam, gradient in rows:
        inputs = (Input("x", values(given["inputs"]["x"])), Input("l", lam))
        agrees(Document(inputs, "y = flip_gradient(x, l)**3"), gradient)
        by_map = Document(inputs, "f = identity(x)\ny = f**3", overrides=(
            Override("Identity", f"grad * -{lam}" if lam >= 0 else f"grad * {-lam}"),))  # fmt: skip
        agrees(by_map, gradient)
    twice = run(preset("flip_twice"))
    assert twice["trick_gradient"].y.tolist() == twice["true_gradient"].y.tolist()


def test_mul_rules_of_the_third_article():
    case = CASES["s2_mul_article"]
    found = agrees(preset("mul_gradient"), case["gradients"]["dW"], by="W", rtol=1e-6)
    assert found.gradients["trick_gradient"]["I"] is None is case["gradients"]["dI"]
    swapped = run(preset("mul_swapped"))
    assert swapped.gradients["trick_gradient"]["W"] is None
    assert swapped.gradients["true_gradient"]["W"].tolist() == [10]


def test_matmul_rules():
    right = run(preset("matmul_right"))
    for name in "AB":
        trick, true = (right.gradients[r][name] for r in ("trick_gradient", "true_gradient"))
        torch.testing.assert_close(trick, true, rtol=1e-15, atol=0)
    visible = run(preset("matmul_visible")).gradients
    assert visible["trick_gradient"]["A"].tolist() == [[-1, 1], [-1, 1]]
    assert visible["trick_gradient"]["B"] is None


@pytest.mark.parametrize(("case", "lines"), [
    ("s2_multi_pyfunc_all", "o1 + o2 + o3"), ("s2_multi_pyfunc_unused", "o1 + o3"),
    ("s2_multi_pyfunc_w", "0.5 * o1 - 2 * o2 + 7 * o3")])  # fmt: skip
def test_the_rule_for_three_outputs(case, lines):
    given = CASES[case]
    document = fed("three_outputs", given, "a", "b")
    program = "o1, o2, o3 = py_func(a + b, a * b, a - b)\nL = sum(" + lines + ")"
    found = agrees(document.with_(program=program), given["gradients"]["da"], by="a")
    assert found.gradients["trick_gradient"]["b"] is None is given["gradients"]["db"]
    for o in ("o1", "o2", "o3"):
        assert found.values[o].tolist() == given["outputs"][o]


def test_the_presets_of_three_outputs_give_the_same():
    assert run(preset("three_outputs"))["trick_gradient"].y.tolist() == [3, -1]
    assert run(preset("three_outputs_unused"))["trick_gradient"].y.tolist() == [0, 0]
    right = run(preset("three_outputs_right")).gradients
    for name in "ab":
        torch.testing.assert_close(right["trick_gradient"][name], right["true_gradient"][name])


@pytest.mark.parametrize("case", ["c_guided_relu_near0", "c_guided_maximum"])
def test_guided_relu(case):
    given = CASES[case]["inputs"]
    act = "relu({})" if given["activation"] == "relu" else "maximum({}, 0)"
    inner = act.format(f"x @ {given['w1']}")
    second = act.format(f"h1 @ {given['w2']}")
    program = f"h1 = {inner}\nh2 = {second}\ny = h2 @ {given['w3']}"
    document = Document((Input("x", values(given["x"])),), program,
                        overrides=(Override("Relu", "guided relu"),))  # fmt: skip
    found = agrees(document, CASES[case]["gradients"]["guided"], CASES[case]["outputs"]["y"])
    plain = torch.tensor(CASES[case]["gradients"]["plain"], dtype=torch.float64)
    torch.testing.assert_close(found.gradients["true_gradient"]["x"], plain)


def test_guided_presets_differ_from_the_plain_gradient_only_for_relu():
    found, missed = run(preset("guided_relu")), run(preset("guided_maximum"))
    assert found["trick_gradient"].y.tolist() != found["true_gradient"].y.tolist()
    assert missed["trick_gradient"].y.tolist() == missed["true_gradient"].y.tolist()
    assert any("never runs" in note.text for note in missed.notes)


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("straight_through", "s2_ste_sign"),
        ("straight_through_rounding", "s2_ste_sign_f32_large"),
        ("sign_tanh", "s2_gen_sign_tanh"), ("step_sigmoid", "s2_gen_step_sigmoid"),
        ("relu_softplus", "s2_gen_relu_softplus"), ("window", "s2_gen_clipgrad_f32"),
    ],
)  # fmt: skip
def test_surrogates_give_tensorflows_numbers(name, case):
    given = CASES[case]
    gradient = given["gradients"].get("d_ste") or given["gradients"]["do_dx"]
    forward = given["outputs"].get("ste") or given["outputs"]["o"]
    agrees(fed(name, given, "x"), gradient, forward)


def test_the_round_chain_and_the_exact_straight_through():
    given = CASES["s2_ste_round_chain"]
    agrees(fed("round_square", given, "x"), given["gradients"]["d_ste"])
    exact = run(preset("straight_through_exact"))
    assert exact["forward"].y.tolist() == [1, -1, 1, 1]
    assert exact["trick_gradient"].y.tolist() == [1, 1, 1, 1]
    lost = run(preset("straight_through_rounding"))
    assert lost["forward"].y.tolist() == CASES["s2_ste_sign_f32_large"]["outputs"]["ste"]


def test_a_squared_error_starves_and_cross_entropy_does_not():
    for a, logits in ((0.5, (0.5, -0.5)), (2.0, (2.0, -2.0)), (8.0, (8.0, -8.0))):
        inputs = (Input("z", logits),)
        squared = run(preset("squared_error").with_(inputs=inputs), curves=False)["trick_gradient"]
        p = 1 / (1 + math.exp(-2 * a))
        assert abs(squared.y[0]) == pytest.approx(4 * p * p * (1 - p), rel=1e-9)
        entropy = run(preset("cross_entropy").with_(inputs=inputs), curves=False)["trick_gradient"]
        assert abs(entropy.y[0]) == pytest.approx(p, rel=1e-9)


def test_the_dash_of_the_third_article_is_named():
    text = "input x = [1, 2]\nprogram\ny = x + stop_gradient(sign(x) – x)\n"
    with pytest.raises(ValueError, match=r"Line 1, column 31: .*EN DASH"):
        run(from_text(text))


def test_a_name_that_is_no_preset_is_refused_with_the_nearest():
    with pytest.raises(ValueError, match="Did you mean flip_twice"):
        preset("fliptwice")
