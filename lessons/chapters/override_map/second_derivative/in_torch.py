"""A rule on an op, differentiated more than once: the rule itself is differentiated."""

import json

import torch

x = [-2.0, 1.0, 2.0]
kind = "identity"  # the op with the rule: y = identity(x)**3; or square: y = x**2
factor = 10.0  # the rule on identity multiplies by it; on square the local derivative is factor * x
order = "1"  # of the derivative
dtype = torch.float64


class Overridden(torch.autograd.Function):
    """One op: the value of func, and what the rule returns as its gradient."""

    @staticmethod
    def forward(op, rule, func, *args):
        op.rule, op.count = rule, len(args)
        op.places = [place for place, one in enumerate(args) if isinstance(one, torch.Tensor)]
        op.save_for_backward(*(args[place] for place in op.places))  # inputs keep their history
        return func(*args)

    @staticmethod
    def backward(op, *upstream):
        op.inputs = op.saved_tensors
        returned = op.rule(op, *upstream)
        returned = returned if isinstance(returned, tuple) else (returned,)
        gradients = dict(zip(op.places, returned, strict=True))  # one for each tensor operand
        return None, None, *(gradients.get(place) for place in range(op.count))


class gradient_override_map(torch.overrides.TorchFunctionMode):
    """Inside the block, each torch function of this name gets this rule as its gradient."""

    def __init__(self, rules):
        super().__init__()
        self.rules = rules

    def __torch_function__(self, func, types, args=(), kwargs=None):
        rule = self.rules.get(func.__name__)
        if rule is None:
            return func(*args, **(kwargs or {}))
        return Overridden.apply(rule, func, *args)


@torch.overrides.wrap_torch_function(lambda x: (x,))  # so that the map sees it as one op
def identity(x):
    return x.view_as(x)


def second_derivative(x, kind, factor, order):
    def on_identity(op, upstream):
        return factor * upstream

    def on_square(op, upstream):
        return factor * op.inputs[0] * upstream  # the built-in: 2 * op.inputs[0] * upstream

    with gradient_override_map({kind: on_identity if kind == "identity" else on_square}):
        y = identity(x) ** 3 if kind == "identity" else torch.square(x)
    for _ in range(int(order) - 1):
        (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return y


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = second_derivative(x, kind, factor, order)
    gradient = torch.zeros_like(x)  # of a constant
    if y.requires_grad:
        (gradient,) = torch.autograd.grad(y.sum(), x, materialize_grads=True)
    result = {"forward": y.tolist(), "trick_gradient": gradient.tolist()}
    print(json.dumps(result))
