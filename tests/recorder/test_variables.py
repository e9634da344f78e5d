"""Where the expression now running stands, in code that is spelled the same twice."""

from typing import Any

import torch

from lessons.gradient_tricks.recorder import record
from tests.support.present import present

TEXT = "def f(x):\n    y = x.exp()\n    return y * y\n"


def test_code_that_is_equal_keeps_the_place_of_its_own_file() -> None:
    functions = []
    for path in ("<one>", "<other>"):
        names: dict[str, Any] = {}
        exec(compile(TEXT, path, "exec"), names)
        functions.append(names["f"])
    assert functions[0].__code__ == functions[1].__code__
    for path, function in zip(("<one>", "<other>"), functions, strict=True):
        x = torch.tensor(2.0, requires_grad=True)
        with record({"x": x}) as recording:
            function(x)
        assert {present(node.place)[0] for node in recording.ops} == {path}
