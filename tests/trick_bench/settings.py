"""Random settings of the bench, as its controls could say them."""

import random

from lessons.bench.setting import Form, read_setting
from lessons.bench.tricks import OWN, TRICKS
from lessons.contract.parameters import Choice, Number

PAIRS = [(trick.name, given.name) for trick in TRICKS.values() for given in trick.functions]
"""Each trick with each function it is offered for."""
TYPED_FUNCTIONS = (
    "x * u", "sin(x) * u + x", "sqrt(abs(x)) * (1 + u)", "x.abs() * u", "exp(-x**2) / (1 + u**2)",
    "tanh(x * u) * x", "where(x > 0, x, 0) * u", "x**2 - u * x", "maximum(x, u)", "3 * x",
    "softplus(x + u) * sigmoid(x)", "(x - 1) * (x + 1)", "round(x * u) * x", "torch.cos(x) * x + u",
)  # fmt: skip
"""Functions of x and u that somebody could type."""


def random_form(random_: random.Random, trick: str = "", function: str = "") -> Form:
    """What the controls say, at random."""
    trick = trick or random_.choice([*TRICKS])
    function = function or random_.choice(TRICKS[trick].functions).name
    form = {"trick": trick, "function": function}
    if function == OWN:
        form["own"] = random_.choice(TYPED_FUNCTIONS)
    if function in ("root", OWN):
        xs = [
            random_.choice([-2.5, -1.3, -0.4, 0.7, 1.1, 2.25]) for _ in range(random_.randint(1, 4))
        ]
        form["in.x.values"] = ", ".join(map(str, xs))
        form["point"] = str(random_.randint(1, len(xs)))
    form["noise"] = random_.choice(["off", "multiply", "add"])
    low = random_.choice([0.25, 0.5, 0.9])
    form["in.u.ends"] = f"{low}, {low + random_.choice([0.0, 0.2, 1.0])}"
    form["in.u.seed"] = str(random_.randint(0, 99))
    for one in read_setting(form).own:
        for side in "ab":
            if isinstance(one, Choice):
                # A typed rule has to fit its op.
                names = [name for name in one.names if name != "typed"]
                form[f"{side}.{one.name}"] = random_.choice(names)
            elif isinstance(one, Number):
                form[f"{side}.{one.name}"] = str(random_.choice([0.1, 0.5, 1, 2.5]))
    return form
