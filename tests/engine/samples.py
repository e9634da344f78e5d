"""One call for every op type of the table, so that the tests cover each row of it."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from lessons.gradient_tricks.tricks import identity, op_types, py_func, stop_gradient

_UNARY = """
    square sqrt rsqrt reciprocal neg abs sign round floor ceil trunc exp expm1 log log1p
    log2 log10 sin cos tan asin acos atan sinh cosh tanh sigmoid erf erfc lgamma relu
    sum mean prod max min var std norm unbind clone tril triu
""".split()  # noqa: SIM905
_BINARY = """
    add sub mul div remainder fmod pow xlogy atan2 maximum minimum matmul
""".split()  # noqa: SIM905
_FUNCTIONAL = """
    relu6 hardtanh leaky_relu elu selu gelu silu softplus softsign dropout normalize
""".split()  # noqa: SIM905
_BY_DIM = """
    softmax log_softmax logsumexp amax amin cumsum cumprod sort unsqueeze squeeze
""".split()  # noqa: SIM905


def _index(x: torch.Tensor) -> torch.Tensor:
    return torch.zeros(x.shape[0], dtype=torch.long, device=x.device)


def _twice(f: Callable[..., Any], x: torch.Tensor) -> Any:
    return f(x, x.sqrt())


def _along(f: Callable[..., Any], x: torch.Tensor) -> Any:
    return f(x, 1)


def _image(x: torch.Tensor) -> torch.Tensor:
    return x[None, None]


# Each takes a square matrix in (0, 1) that requires a gradient.
SAMPLES: dict[str, Callable[[torch.Tensor], Any]] = {
    **{name: getattr(torch, name) for name in _UNARY},
    **{name: partial(_twice, getattr(torch, name)) for name in _BINARY},
    **{name: getattr(functional, name) for name in _FUNCTIONAL},
    **{name: partial(_along, getattr(torch, name)) for name in _BY_DIM},
    "identity": identity,
    "stop_gradient": stop_gradient,
    "py_func": lambda x: py_func(torch.sign, x),
    "floor_divide": lambda x: x // 0.3,
    "clamp": lambda x: x.clamp(0.2, 0.8),
    "where": lambda x: torch.where(x > 0.5, x, 2 * x),
    "masked_fill": lambda x: x.masked_fill(x > 0.5, 0.0),
    "outer": lambda x: torch.outer(x[0], x[1]),
    "addmm": lambda x: torch.addmm(x, x, x),
    "einsum": lambda x: torch.einsum("ij,jk->ik", x, x),
    "linear": lambda x: functional.linear(x, x, x[0]),
    "conv1d": lambda x: functional.conv1d(x[None], x[:, :, None]),
    "conv2d": lambda x: functional.conv2d(_image(x), _image(x)),
    "conv3d": lambda x: functional.conv3d(x[None, None, None], x[None, None, None]),
    "conv_transpose2d": lambda x: functional.conv_transpose2d(_image(x), _image(x)),
    "max_pool2d": lambda x: functional.max_pool2d(_image(x), 2),
    "avg_pool2d": lambda x: functional.avg_pool2d(_image(x), 2),
    "batch_norm": lambda x: functional.batch_norm(x, None, None, training=True),
    "layer_norm": lambda x: functional.layer_norm(x, x.shape[1:], x[0], x[1]),
    "embedding": lambda x: functional.embedding(_index(x), x),
    "cross_entropy": lambda x: functional.cross_entropy(x, _index(x)),
    "nll_loss": lambda x: functional.nll_loss(x, _index(x)),
    "mse_loss": lambda x: functional.mse_loss(x, 2 * x),
    "l1_loss": lambda x: functional.l1_loss(x, 2 * x),
    "topk": lambda x: torch.topk(x, 2),
    "cat": lambda x: torch.cat([x, x], 1),
    "stack": lambda x: torch.stack([x, x]),
    "split": lambda x: torch.split(x, 1, 1),
    "chunk": lambda x: torch.chunk(x, 2),
    "reshape": lambda x: x.reshape(-1),
    "view": lambda x: x.view(-1),
    "flatten": lambda x: x.flatten(),
    "transpose": lambda x: x.transpose(0, 1),
    "permute": lambda x: x.permute(1, 0),
    "expand": lambda x: x.expand(2, *x.shape),
    "repeat": lambda x: x.repeat(2, 1),
    "flip": lambda x: x.flip(0),
    "roll": lambda x: x.roll(1),
    "pad": lambda x: functional.pad(x, (1, 1)),
    "getitem": lambda x: x[0],
    "select": lambda x: x.select(0, 0),
    "narrow": lambda x: x.narrow(0, 0, 1),
    "gather": lambda x: x.gather(1, _index(x)[:, None]),
    "index_select": lambda x: x.index_select(0, _index(x)[:1]),
    "to": lambda x: x.to(torch.complex64),
}

assert set(SAMPLES) == set(op_types()), set(SAMPLES) ^ set(op_types())

# Other ways to write the same op.
SPELLINGS: dict[str, list[Callable[[torch.Tensor], Any]]] = {
    "mul": [
        lambda x: x * x, lambda x: 2.0 * x, lambda x: x * 2, lambda x: x.mul(x),
        lambda x: torch.multiply(x, x), lambda x: torch.mul(input=x, other=x),
        lambda x: (x + 0).mul_(2), lambda x: (x + 0).__imul__(2),
    ],
    "add": [lambda x: x + 1, lambda x: 1 + x, lambda x: x.add(x), lambda x: sum([x, x]),
            lambda x: (x * 1).add_(x)],
    "sub": [lambda x: x - 1, lambda x: 1 - x, lambda x: torch.subtract(x, x),
            lambda x: torch.rsub(x, 1), lambda x: (x + 0).sub_(1)],
    "div": [lambda x: x / 2, lambda x: 1 / x, lambda x: torch.true_divide(x, 2),
            lambda x: torch.divide(x, x), lambda x: (x + 0).div_(2)],
    "pow": [lambda x: x**2, lambda x: 2**x, lambda x: x.pow(3), lambda x: torch.pow(x, x)],
    "floor_divide": [lambda x: torch.div(x, 2, rounding_mode="floor"), lambda x: 2 // x],
    "matmul": [lambda x: x @ x, torch.Tensor.matmul.__get__(torch.eye(4)), lambda x: torch.mm(x, x),
               lambda x: torch.bmm(x[None], x[None]), lambda x: torch.mv(x, x[0]),
               lambda x: x[None] @ x[None]],
    "relu": [functional.relu, torch.nn.ReLU(), lambda x: x.relu(),
             lambda x: functional.relu_(x + 0),
             lambda x: (x + 0).relu_(), lambda x: torch.nn.ReLU(inplace=True)(x + 0)],
    "relu6": [torch.nn.ReLU6(), lambda x: functional.relu6(x + 0, inplace=True)],
    "sigmoid": [functional.sigmoid, torch.nn.Sigmoid(), torch.special.expit, lambda x: x.sigmoid()],
    "tanh": [functional.tanh, torch.nn.Tanh(), lambda x: x.tanh(), lambda x: (x + 0).tanh_()],
    "softmax": [torch.nn.Softmax(1), lambda x: functional.softmax(x, 1), lambda x: x.softmax(1)],
    "maximum": [lambda x: torch.max(x, x), lambda x: x.max(torch.zeros(()))],
    "max": [lambda x: x.max(), lambda x: torch.max(x, dim=1)],
    "where": [lambda x: x.where(x > 0.5, torch.zeros(()))],
    "stop_gradient": [lambda x: x.detach(), torch.detach],
    "permute": [lambda x: x.T], "transpose": [lambda x: x.mT, lambda x: x.t()],
    "unbind": [lambda x: list(x)],
    "to": [lambda x: x.half(), lambda x: x.bfloat16()],
    "linear": [torch.nn.Linear(4, 2)], "clamp": [lambda x: torch.clip(x, 0, 1)],
    "square": [lambda x: (x + 0).square_()], "neg": [lambda x: -x], "abs": [abs],
}  # fmt: skip
