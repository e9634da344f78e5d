"""TensorFlow's own numbers, and ours.

Every case of tests/data/tensorflow.json is bound to a function by `case`. Where torch must
differ, that function's docstring says why, and the difference itself is asserted.
"""

import itertools
import json
import math
import threading
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn import functional

from lessons.tricks import (
    TrickError,
    flip_gradient,
    forward_backward,
    gradient_override_map,
    identity,
    override_gradients,
    py_func,
    register_gradient,
    stop_gradient,
    straight_through,
)
from tests.engine.rules import ten
from tests.engine.samples import SAMPLES

DATA = Path(__file__).parents[1] / "data" / "tensorflow.json"
CASES = {case["id"]: case for case in json.loads(DATA.read_text("utf-8"))}
RUN: dict[str, Callable[[dict[str, Any]], None]] = {}
_names = itertools.count()


def case(*prefixes: str) -> Callable[[Any], Any]:
    """Bind a function to every case whose id starts so and that no earlier function took."""

    def bind(function: Any) -> Any:
        taken = [i for i in CASES if i not in RUN and i.startswith(prefixes)]
        assert taken, prefixes
        RUN.update(dict.fromkeys(taken, function))
        return function

    return bind


def numbers(value: Any) -> Any:
    """The file's "nan" and "inf" as numbers."""
    if isinstance(value, list):
        return [numbers(item) for item in value]
    return float(value)


def tensor(case: dict[str, Any], key: str, grad: bool = True) -> torch.Tensor:
    dtype = getattr(torch, case["inputs"].get("dtype", "float64"))
    return torch.tensor(numbers(case["inputs"][key]), dtype=dtype, requires_grad=grad)


def grad(y: torch.Tensor, x: torch.Tensor, **options: Any) -> torch.Tensor | None:
    return torch.autograd.grad(y.sum(), x, allow_unused=True, retain_graph=True, **options)[0]


def same(got: torch.Tensor | None, expected: Any) -> None:
    if expected is None or got is None:
        assert got is None
        assert expected is None
        return
    wanted = torch.tensor(numbers(expected), dtype=torch.float64)
    precise = got.dtype == torch.float64
    torch.testing.assert_close(
        got.detach().double().reshape(wanted.shape), wanted,
        rtol=1e-12 if precise else 1e-6, atol=1e-300 if precise else 1e-30, equal_nan=True,
    )  # fmt: skip


def fresh(rule: Callable[..., Any]) -> str:
    """Register `rule` under a name of its own, as each TensorFlow case did."""
    name = f"Reference{next(_names)}"
    register_gradient(name)(rule)
    return name


def halve(op: Any, upstream: torch.Tensor) -> torch.Tensor:
    return upstream * 0.5


# TensorFlow's answers to the first two articles: a product's rule, clip, halve, flip.


@case("s0_alt_mul_override_identity")
def mul_as_identity(c: dict[str, Any]) -> None:
    x, u = tensor(c, "x"), tensor(c, "u", grad=False)
    with gradient_override_map({"Mul": fresh(lambda op, upstream: (upstream, None))}):
        yu = x**2 * u
    same(yu, c["outputs"]["yu"])
    same(torch.sqrt(yu), c["outputs"]["z"])
    same(grad(torch.sqrt(yu), x), c["gradients"]["dz_dx"])


def clip_rule(low: float, high: float) -> Callable[..., torch.Tensor]:
    return lambda op, upstream: torch.clamp(upstream, low, high)


@case("s1_clip_article")
def clip_article(c: dict[str, Any]) -> None:
    x = tensor(c, "input")
    with gradient_override_map({"Identity": fresh(clip_rule(-0.1, 0.1))}):
        clipped = identity(x)
    same(clipped, c["outputs"]["output_clip"])
    same(grad(clipped, x), c["gradients"]["with_clipping"])
    same(grad(identity(x), x), c["gradients"]["without_clipping"])


@case("s1_clip_two_identities", "s1_clip_upstream", "s1_clip_after_scale")
def clip_upstream(c: dict[str, Any]) -> None:
    x, k = tensor(c, "x"), tensor(c, "c", grad=False)
    terms = 2 if c["id"] == "s1_clip_two_identities" else 1
    with gradient_override_map({"Identity": clip_rule(c["inputs"]["lo"], c["inputs"]["hi"])}):
        loss = sum((k * identity(x)).sum() for _ in range(terms))
    same(loss, c["outputs"]["out"])
    same(grad(loss, x), c["gradients"]["dout_dx"])


@case("s1_half_in")
def half_inside(c: dict[str, Any]) -> None:
    """Torch has no reference variables: reading a leaf is no op, in either case."""
    x, seen = tensor(c, "Input"), []
    rule = fresh(lambda op, upstream: (seen.append(upstream), upstream * 0.5)[1])
    with gradient_override_map({"Identity": rule}):
        squared = torch.square(x * 6)
        halved = identity(squared)
    same(halved, c["outputs"]["output_A"])
    same(grad(halved, x), c["gradients"]["d_output_A"])
    same(seen[0], c["gradients"]["upstream_grad_received_by_A"])
    same(grad(squared, x), c["gradients"]["d_output_clip"])
    same(grad(identity(x), x), c["gradients"]["d_plain_identity"])


@case("s1_half_out")
def half_outside(c: dict[str, Any]) -> None:
    """Torch differs: TensorFlow is silent that the key matched nothing, the engine warns."""
    x = tensor(c, "Input")
    with (
        pytest.warns(UserWarning, match="identity.*matched no op"),
        gradient_override_map({"Identity": fresh(halve)}),
    ):
        squared = torch.square(x * 6)
    out = identity(squared)
    same(grad(out, x), c["gradients"]["d_output_A"])
    same(grad(squared, x), c["gradients"]["d_output_clip"])


@case("s1_all_inside")
def all_inside(c: dict[str, Any]) -> None:
    x = tensor(c, "Input")
    with gradient_override_map({"Identity": clip_rule(-0.1, 0.1)}):
        same(grad(identity(x), x), c["gradients"]["clip_with"])
        same(grad(identity(x), x), c["gradients"]["clip_comparison"])
    with gradient_override_map({"Identity": halve}):
        out = identity(torch.square(6 * x))
        same(out, c["outputs"]["half_output"])
        same(grad(out, x), c["gradients"]["half_with"])
        same(grad(identity(x), x), c["gradients"]["half_comparison"])


@case("s1_half_var_inside")
def variable_inside(c: dict[str, Any]) -> None:
    """Torch differs for the reference variable: reading a leaf is no op, so it is 108 always."""
    with gradient_override_map({"Identity": halve}):
        v = torch.tensor([3.0], requires_grad=True)
        out = identity(torch.square(6 * v))
    same(out, c["outputs"]["resource_variable"])
    same(grad(out, v), c["gradients"]["resource_variable"])


@case("s1_half_override_mul")
def half_on_mul(c: dict[str, Any]) -> None:
    """A Python 6 is no tensor operand in torch; as a tensor it is, and then torch raises too."""
    assert c["outputs"]["raised"]
    x = tensor(c, "x")
    with gradient_override_map({"Mul": halve}):
        out = torch.square(torch.tensor(6.0, dtype=x.dtype) * x)
        number = torch.square(6 * x)
    with pytest.raises(TrickError, match=r"wrong count of gradients\. Got 1, expected 2"):
        grad(out, x)
    same(grad(number, x), [18.0])


@case("s1_flip_l_tensor")
def flip_schedule(c: dict[str, Any]) -> None:
    for scale, expected in zip(c["inputs"]["l"], c["gradients"]["dL_dx_per_l"], strict=True):
        x = tensor(c, "x")
        lam = torch.tensor(scale, dtype=torch.float64)
        same(grad(flip_gradient(x, lam) ** 3, x), expected)
        with gradient_override_map({"Identity": lambda op, upstream, lam=lam: -lam * upstream}):
            y = identity(x)
        same(grad(y**3, x), expected)


@case("s1_flip_two_builders")
def two_builders(c: dict[str, Any]) -> None:
    assert c["outputs"]["raised"]
    register_gradient("ReferenceFlip0")(ten)
    with pytest.raises(TrickError, match="'ReferenceFlip0' is taken"):
        register_gradient("ReferenceFlip0")(ten)


@case("s1_flip")
def flip(c: dict[str, Any]) -> None:
    x, scale = tensor(c, "x"), c["inputs"]["l"]
    y = flip_gradient(x, scale)
    same(y, c["outputs"]["y"])
    same((y**3).sum(), c["outputs"]["L"])
    got = grad(y**3, x)
    same(got, c["gradients"]["dL_dx"])
    expected = torch.tensor(c["gradients"]["dL_dx"])
    assert torch.equal(torch.signbit(got), torch.signbit(expected))


# TensorFlow's answers to the third article: several inputs and outputs, straight-through.


def mul_grad(op: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None]:
    return upstream * op.inputs[1], None


@case("s2_mul_broadcast_scalarW")
def mul_scalar(c: dict[str, Any]) -> None:
    assert c["outputs"]["raised"]
    W, inputs = tensor(c, "W"), tensor(c, "I")
    with gradient_override_map({"Mul": fresh(mul_grad)}):
        y = W * inputs
    with pytest.raises(TrickError, match=r"wrong shape.*\(3,\).*expected shape \(\)"):
        grad(y, W)
    same(grad(W * inputs, W), c["gradients"]["default_dW"])
    same(grad(W * inputs, inputs), c["gradients"]["default_dI"])


@case("s2_mul_")
def mul(c: dict[str, Any]) -> None:
    W, inputs = tensor(c, "W"), tensor(c, "I")
    with gradient_override_map({"Mul": fresh(mul_grad)}):
        y = torch.mul(W, inputs)
    same(y, c["outputs"]["Y"])
    same(grad(y, W), c["gradients"]["dW"])
    same(grad(y, inputs), c["gradients"]["dI"])
    same(grad(W * inputs, W), c["gradients"]["default_dW"])
    same(grad(W * inputs, inputs), c["gradients"]["default_dI"])


@case("s2_type_not_name")
def type_not_name(c: dict[str, Any]) -> None:
    """Torch differs: a name or wrong case raises; `mul` is torch's own."""
    x = tensor(c, "x")
    for key in ("Mul", "mul"):
        with gradient_override_map({key: lambda op, upstream: (100 * upstream, None)}):
            y = torch.mul(x, torch.full_like(x, 3))
        same(grad(y, x), c["gradients"]["Mul"])
    for key in ("Multiply", "Multiply:0", "MUL"):
        with (
            pytest.raises(TrickError, match="did you mean mul / Mul"),
            gradient_override_map({key: ten}),
        ):
            pass


@case("s2_get_operation_by_name")
def op_names(c: dict[str, Any]) -> None:
    """Torch differs: no graph exists to look a name up in; the rule is handed the op itself."""
    seen = []
    w, k = torch.ones(1, requires_grad=True), torch.tensor([10.0])
    with gradient_override_map(
        {c["outputs"]["ref"]["op"]: lambda op, g: (seen.append(op), g, g)[1:]}
    ):
        y = w * k
    grad(y, w)
    assert (seen[0].type, seen[0].name) == ("mul", "mul")
    assert list(map(id, seen[0].inputs)) == [id(w), id(k)]


# The op type of a call whose TensorFlow name is not torch's.
OURS = {
    "x*y": "mul", "tf.multiply": "mul", "x+y": "add", "tf.add_n": "add", "tf.nn.bias_add": "add",
    "x-y": "sub", "x/y": "div", "-x": "neg", "x**2": "pow", "x**y": "pow", "x@w": "matmul",
    "tf.maximum(x,0)": "maximum", "tf.reduce_sum": "sum", "tf.reduce_mean": "mean",
    "tf.reduce_max": "max", "tf.concat": "cat", "tf.unstack": "unbind", "x[0]": "getitem",
    "tf.gather": "index_select", "tf.cast f64": "to", "tf.where_v2": "where",
    "tf.nn.top_k": "topk", "tf.nn.sparse_softmax_xent": "cross_entropy",
}  # fmt: skip
NO_COUNTERPART = {
    "tf.div_no_nan",  # torch has no such op
    "tf.clip_by_value",  # Maximum(Minimum()) there; torch.clamp is one op of its own type
}


@case("s2_type_table")
def type_table(c: dict[str, Any]) -> None:
    for call, tensorflow in c["outputs"].items():
        if call in NO_COUNTERPART:
            continue
        x = torch.rand(4, 4, requires_grad=True)
        if tensorflow == "Placeholder":  # no op ran, in torch as in TensorFlow
            with gradient_override_map({"Identity": "Identity"}) as report:
                identity(x.float())
            assert dict(report.ran) == {"identity": 1}
            continue
        name = OURS.get(call) or call.removeprefix("tf.").removeprefix("nn.").split()[0]
        with gradient_override_map(
            {tensorflow: lambda op, *upstream: (None,) * len(op.inputs)}
        ) as report:
            SAMPLES[name](x)
        assert report.overridden[name] >= 1, call


def func_grad(op: Any, g1: torch.Tensor, g2: torch.Tensor, g3: torch.Tensor) -> Any:
    func_grad.received = (g1, g2, g3)  # type: ignore[attr-defined]
    return g1 * g2 * op.inputs[1], None


@case("s2_multi_pyfunc")
def several_outputs(c: dict[str, Any]) -> None:
    a, b = tensor(c, "a"), tensor(c, "b")
    with gradient_override_map({"PyFunc": func_grad}):
        outputs = py_func(lambda a, b: (a + b, a * b, a - b), a, b)
    for name, output in zip(("o1", "o2", "o3"), outputs, strict=True):
        same(output, c["outputs"][name])
    weights, used = c["inputs"]["weights"], c["inputs"]["used_outputs"]
    loss = sum((weights[i] * outputs[i]).sum() for i in used)
    same(grad(loss, a), c["gradients"]["da"])
    same(grad(loss, b), c["gradients"]["db"])
    for i, got in enumerate(func_grad.received, 1):  # type: ignore[attr-defined]
        same(got, c["gradients"][f"received_grad{i}"])


@case("s2_multi_split")
def split(c: dict[str, Any]) -> None:
    """Torch differs: the axis is a number in `op.args`, not a tensor operand."""
    x, seen = tensor(c, "x"), []

    def rule(op: Any, *upstream: torch.Tensor) -> torch.Tensor:
        seen.append((op.args, op.kwargs, upstream))
        return 10 * torch.cat(upstream, 1)

    with gradient_override_map({"Split": rule}):
        p, _, r = torch.split(x, 1, 1)
    same(grad((2 * p).sum() + (5 * r).sum(), x), c["gradients"]["dx"])
    for got, expected in zip(seen[0][2], c["gradients"]["received"], strict=True):
        same(got, expected)
    assert seen[0][1] == {"dim": 1}


@case("s2_multi_sparse_xent")
def sparse_cross_entropy(c: dict[str, Any]) -> None:
    """Torch differs: its cross entropy has one output; the rule works out the second."""
    z = tensor(c, "logits")
    labels = torch.tensor(c["inputs"]["labels"])

    def rule(op: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None]:
        logits, wanted = op.inputs
        slope = torch.softmax(logits, -1) - functional.one_hot(wanted, logits.shape[-1])
        return 2 * upstream[:, None] * slope, None

    with gradient_override_map({"SparseSoftmaxCrossEntropyWithLogits": rule}):
        loss = functional.cross_entropy(z, labels, reduction="none")
    same(loss, c["outputs"]["loss"])
    got, wanted = grad(loss, z), torch.tensor(c["gradients"]["dlogits"], dtype=torch.float64)
    torch.testing.assert_close(got, wanted, rtol=1e-8, atol=1e-8)  # TensorFlow's own rounding


@case("s2_multi_too_few_args")
def too_few_parameters(c: dict[str, Any]) -> None:
    assert c["outputs"]["error_type"] == "TypeError"
    x = torch.ones(3, requires_grad=True)
    with gradient_override_map({"Unpack": lambda op, g1: g1}):
        y = torch.unbind(x)[0]
    with pytest.raises(TypeError, match="takes 2 positional arguments but 4 were given"):
        grad(y, x)


@case("s2_ste")
def straight_through_cases(c: dict[str, Any]) -> None:
    """Torch differs in one value: its sign of NaN is 0, TensorFlow's is NaN."""
    f = getattr(torch, c["inputs"]["func"])
    x = tensor(c, "x")
    wanted = [0.0 if v == "nan" and f is torch.sign else v for v in c["outputs"]["func_x"]]
    for output, value in (
        (x + stop_gradient(f(x) - x), c["outputs"]["ste"]),
        (straight_through(f)(x), wanted),
    ):
        same(output, value)
        loss = (output**2).sum() if c["inputs"]["outer"] else output
        if c["inputs"]["outer"]:
            same(loss, c["outputs"]["L"])
        same(grad(loss, x), c["gradients"]["d_ste"])


def clipped(x: torch.Tensor) -> torch.Tensor:
    """TensorFlow's clip: gradient 1 at the limits too. torch's clamp has 0 there since 2.14."""
    return torch.where(x.abs() <= 1, x, x.detach().clamp(-1, 1))


PAIRS = {
    "sign(x)": torch.sign, "tanh(x)": torch.tanh, "step(x)": lambda x: (x > 0).to(x.dtype),
    "sigmoid(5x)": lambda x: torch.sigmoid(5 * x), "relu(x)": torch.relu,
    "softplus(x)": functional.softplus,
    "x": identity, "clip(x,-1,1)": clipped,
}  # fmt: skip


@case("s2_gen")
def general_form(c: dict[str, Any]) -> None:
    f, g = PAIRS[c["inputs"]["f"]], PAIRS[c["inputs"]["g"]]
    x, weights = tensor(c, "x"), tensor(c, "loss_weights", grad=False)
    same(g(x), c["outputs"]["g"])
    same(g(x) + stop_gradient(f(x) - g(x)), c["outputs"]["o"])
    trick = forward_backward(f, g)(x)
    assert torch.equal(trick, f(x))  # bit for bit, where TensorFlow's own form may round
    same(trick, c["outputs"]["f"])
    same(grad(weights * trick, x), c["gradients"]["do_dx"])


# TensorFlow's answers in the corners of gradient_override_map.


@case("c_nested_none", "c_map_leak")
def none_in_map(c: dict[str, Any]) -> None:
    """Torch differs in c_map_leak: nothing stays installed after an error on entry."""
    x = tensor(c, "x")
    for bad in ({"Identity": None}, {"Identity": ten, "Relu": None}):
        with pytest.raises(TrickError, match="is None"), gradient_override_map(bad):
            pass
    same(grad(identity(x), x), [1.0, 1.0])


@case("c_unknown_gradient_name")
def unknown_gradient(c: dict[str, Any]) -> None:
    """Torch differs: an unknown name raises on entry, reached or not; registering late is late."""
    with (
        pytest.raises(TrickError, match="unknown gradient name 'NeverRegistered'"),
        gradient_override_map({"Identity": "NeverRegistered"}),
    ):
        pass


@case("c_register_builtin")
def register_builtin(c: dict[str, Any]) -> None:
    assert c["outputs"]["raised"]
    with pytest.raises(TrickError, match="'Relu' is an op type"):
        register_gradient(c["inputs"]["name"])


@case("c_other_graph")
def other_thread(c: dict[str, Any]) -> None:
    """Torch has one graph a thread builds as it runs: the "other graph" is another thread's."""
    x, got = tensor(c, "x"), []
    with gradient_override_map({"Identity": ten}):
        thread = threading.Thread(target=lambda: got.append(grad(identity(x), x)))
        thread.start()
        thread.join()
        identity(x)
    same(got[0], c["gradients"]["dy_dx"])


@case("c_import_graph_def")
def outlives_the_map(c: dict[str, Any]) -> None:
    """Torch has no GraphDef: what corresponds is that a built graph keeps its rules, (i), and
    that a graph built elsewhere can be overridden afterwards, (ii)."""
    x = tensor(c, "x")
    with gradient_override_map({"Identity": ten}):
        y = identity(x)
    same(grad(y, x), c["gradients"]["exported_override"])
    plain = identity(x)
    with override_gradients(plain, {"Identity": ten}):
        same(grad(plain, x), c["gradients"]["import_inside_map"])


@case("c_ret_none")
def returns_none(c: dict[str, Any]) -> None:
    x = tensor(c, "x")
    with gradient_override_map({"Identity": lambda op, upstream: None}):
        y = identity(x)
    same(grad(y, x), c["gradients"]["dx"])


BAD = {
    "c_ret_too_many": (lambda op, g: (g, g), "wrong count of gradients. Got 2, expected 1"),
    "c_ret_wrong_shape_dynamic": (lambda op, g: torch.ones(4, dtype=g.dtype), "wrong shape"),
    "c_ret_python_float": (lambda op, g: 1.0, "not a tensor. Got float"),
    "c_ret_numpy": (lambda op, g: g.numpy(), "not a tensor. Got ndarray"),
    "c_ret_wrong_dtype": (lambda op, g: g.float(), "wrong dtype"),
}


@case("c_ret")
def bad_return(c: dict[str, Any]) -> None:
    """Torch differs for shape and dtype, where TensorFlow checks nothing: each is a TrickError."""
    rule, message = BAD[c["id"]]
    x = tensor(c, "x")
    with gradient_override_map({"Identity": rule}):
        y = identity(x)
    with pytest.raises(TrickError, match=message):
        grad(y, x)


@case("c_second_square")
def second_derivative(c: dict[str, Any]) -> None:
    x = tensor(c, "x")
    with gradient_override_map({"Square": lambda op, upstream: 3 * op.inputs[0] * upstream}):
        y = torch.square(x)
    d1 = grad(y, x, create_graph=True)
    d2 = grad(d1, x, create_graph=True)
    same(y, c["outputs"]["y"])
    same(d1, c["gradients"]["d1"])
    same(d2, c["gradients"]["d2"])
    assert c["gradients"]["d3"] is None
    assert not d2.requires_grad


@case("c_second_grad_ops_inside_map")
def second_inside(c: dict[str, Any]) -> None:
    """Torch differs: its backward of square runs in C++, where no map sees its multiplications."""
    x = tensor(c, "x")
    y = torch.square(x)
    with gradient_override_map({"Mul": ten, "Identity": "Identity"}):
        identity(torch.ones(1) * 2)
        d1 = grad(y, x, create_graph=True)
    same(d1, c["gradients"]["d1"])
    same(grad(d1, x), c["gradients"]["d2_plain"])


@case("c_while_loop")
def loops(c: dict[str, Any]) -> None:
    """Torch differs: a loop is Python's, with no machinery ops, so around it and inside it are
    the same: ×10 an iteration. A conditional runs one branch, whose identities are overridden."""
    x = tensor(c, "x")
    with gradient_override_map({"Identity": ten}):
        outside = x
        for _ in range(3):
            outside = identity(outside) * x
    inside = x
    for _ in range(3):
        with gradient_override_map({"Identity": ten}):
            inside = identity(inside) * x
    for out in (outside, inside):
        same(out, c["outputs"]["v2_in_body"])
        same(grad(out, x), c["gradients"]["v2_in_body"])
    with gradient_override_map({"Identity": ten}):
        same(grad(identity(x) * 2, x), c["gradients"]["v1_cond_outside"])
        same(grad(identity(identity(x)) * 2, x), c["gradients"]["v1_cond_outside_two_identities"])
        same(grad(x * 3, x), c["gradients"]["v1_cond_outside_x-1.5"])
    same(grad(x * x * x * x, x), c["gradients"]["plain_no_override"])


@case("c_hidden_ops")
def hidden_ops(c: dict[str, Any]) -> None:
    """Torch differs: only the outermost call is seen, so the Mul inside a library function is
    not overridden; the key warns."""
    x = tensor(c, "x")
    with (
        pytest.warns(UserWarning, match="matched no op.*normalize, mean, var"),
        gradient_override_map({"Mul": lambda op, upstream: (0 * upstream,)}),
    ):
        normal, mean, variance = functional.normalize(x, dim=0), x.mean(), x.var(correction=0)
    same(grad(mean, x), c["gradients"]["d_reduce_mean"])
    torch.testing.assert_close(
        grad(variance, x), torch.tensor(c["gradients"]["d_variance"], dtype=torch.float64)
    )
    assert grad(normal[0], x).abs().min() > 0
    assert c["gradients"]["d_l2_normalize"] == [0.0, 0.0, 0.0]


@case("c_map_to_builtin", "c_map_to_stopgradient")
def map_to_builtin(c: dict[str, Any]) -> None:
    x = torch.tensor([3.0, -0.5], dtype=torch.float64, requires_grad=True)
    name = "Square" if c["id"] == "c_map_to_builtin" else "StopGradient"
    with gradient_override_map({"Identity": name}):
        y = identity(x)
    assert torch.equal(y, x)
    same(grad(y, x), c["gradients"]["dy_dx"])


@case("c_map_not_transitive")
def not_transitive(c: dict[str, Any]) -> None:
    x = tensor(c, "x")
    with gradient_override_map({"Identity": "Relu", "Relu": ten}):
        y = identity(x)
        torch.relu(x)
    same(y, c["outputs"]["y"])
    same(grad(y, x), c["gradients"]["dy_dx"])


def guided(op: Any, upstream: torch.Tensor) -> torch.Tensor:
    return torch.where(upstream > 0, upstream * (op.outputs[0] > 0), 0.0)


@case("c_guided_relu", "c_guided_maximum")
def guided_relu(c: dict[str, Any]) -> None:
    """As in TensorFlow `maximum(x, 0)` is another type and is missed; here the key warns."""
    x, zero = tensor(c, "x"), torch.zeros((), dtype=torch.float64)
    w1, w2, w3 = (tensor(c, name, grad=False) for name in ("w1", "w2", "w3"))
    missed = c["id"] == "c_guided_maximum"
    act = (lambda h: torch.maximum(h, zero)) if missed else torch.relu
    expected = pytest.warns(UserWarning, match="Relu") if missed else nullcontext()
    with expected, gradient_override_map({"Relu": guided}):
        y = act(act(x @ w1) @ w2) @ w3
    same(y, c["outputs"]["y"])
    same(grad(y, x), c["gradients"]["guided"])
    same(grad(act(act(x @ w1) @ w2) @ w3, x), c["gradients"]["plain"])


@case("c_tf2_modes")
def eager_mode(c: dict[str, Any]) -> None:
    """Torch is always eager, and the map is honoured: TensorFlow's eager mode ignores it."""
    x = tensor(c, "x")
    with gradient_override_map({"Identity": ten}):
        y = identity(x)
    same(grad(y, x), c["gradients"]["tf_gradients_inside_tf_function"])
    assert not math.isclose(c["gradients"]["eager_tape"][0], 10.0)


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    """A case that no function is bound to fails: none is left out."""
    RUN[name](CASES[name])
