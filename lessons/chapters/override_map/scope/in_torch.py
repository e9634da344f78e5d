"""An override map in plain torch, and where an identity runs: in it, in an inner one, after it."""

import json

import torch

x = [-2.0, 1.0, 3.0]
factor = 10.0
inner = 2.0
ops = 1  # identities in a row
place = "map"  # where they run: "map", "nested", "restored", "left" (after an exception)
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


def scope(x, factor, inner, ops, place):
    def identities(y):
        for _ in range(ops):
            y = identity(y)
        return y

    try:
        with gradient_override_map({"identity": lambda op, upstream: factor * upstream}):
            if place == "map":
                y = identities(x)
            elif place in ("nested", "restored"):
                times = inner if place == "nested" else 1  # an identity's own gradient: times 1
                with gradient_override_map({"identity": lambda op, upstream: times * upstream}):
                    y = identities(x)
            else:
                raise InterruptedError("something went wrong inside the map")
    except InterruptedError:
        y = identities(x)
    return y**2


if __name__ == "__main__":
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = scope(x, factor, inner, ops, place)
    (trick,) = torch.autograd.grad((y + 0 * x).sum(), x)  # + 0 * x: 0 where nothing arrives
    result = {"forward": y.tolist(), "trick_gradient": trick.tolist()}
    print(json.dumps(result))
