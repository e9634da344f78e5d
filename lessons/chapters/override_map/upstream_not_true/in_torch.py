"""An override map in plain torch, and one rule that halves, on an op of your choice."""

import json

import torch

x = [-2.0, 1.0, 3.0]
op_type = "identity"  # where the rule stands: "identity", "square" or "mul"
local = "missing"  # "supplied": the rule supplies the op's local derivative
dtype = torch.float64


class Overridden(torch.autograd.Function):
    """One op: the value of func, and what the rule returns as its gradient."""

    @staticmethod
    def forward(op, rule, func, *args):
        op.rule, op.count = rule, len(args)
        op.places = [place for place, one in enumerate(args) if isinstance(one, torch.Tensor)]
        op.save_for_backward(*(args[place] for place in op.places))
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


def halve(x, op_type, local):
    def half(op, upstream):
        if local == "supplied" and op_type == "square":
            return upstream * 0.5 * 2 * op.inputs[0]
        if local == "supplied" and op_type == "mul":
            return upstream * 0.5 * 6
        return upstream * 0.5

    with gradient_override_map({op_type: half}):
        return identity(torch.square(torch.mul(x, 6)))


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = halve(x, op_type, local)
    (trick,) = torch.autograd.grad((y + 0 * x).sum(), x)  # + 0 * x: 0 where nothing arrives
    (true,) = torch.autograd.grad(torch.square(6 * x).sum(), x)
    result = {"forward": y.tolist(), "trick_gradient": trick.tolist()}
    result["true_gradient"] = true.tolist()
    print(json.dumps(result))
