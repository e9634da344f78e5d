"""The generated TensorFlow and JAX code was run as it stands, and gave our numbers."""

import json
import math

import pytest

from lessons.playground.codegen.differences import differences
from lessons.playground.codegen.program_file import code
from lessons.playground.document.check import check
from tests.playground.equivalents import (
    FRAMEWORKS,
    PRINTED,
    agrees,
    apart,
    corners,
    digest,
    documents,
    numbers,
)
from tests.support.folded import folded

AGAIN = "run: make verify-equivalents ARGS=--write"
KEPT = json.loads(PRINTED.read_text("utf-8"))


@pytest.mark.parametrize("framework", FRAMEWORKS)
@folded("name, document", documents(), ids=lambda case: case[0])
def test_the_code_ran_and_gave_our_numbers(name, document, framework):
    kept = KEPT[framework]["files"].get(name)
    assert kept is not None, f"{name} was never run in {framework}; {AGAIN}"
    assert kept["digest"] == digest(code(document, framework)), f"it has changed; {AGAIN}"
    assert agrees(framework, document, kept["printed"])


@pytest.mark.parametrize(("framework", "name", "document"), list(corners()))
def test_a_difference_that_is_told_is_there(framework, name, document):
    kept = KEPT[framework]["files"][name]
    assert kept["digest"] == digest(code(document, framework)), AGAIN
    mine, theirs = numbers(document), kept["printed"]
    assert apart(mine["forward"], theirs["forward"]) == 0
    assert apart(mine, theirs) > 0.1
    (sentence,) = differences(check(document).program.op_types, framework)
    assert sentence.endswith(".")


def test_a_wrong_number_is_noticed():
    mine = {"forward": [1.0, math.nan], "trick_gradient": {"x": [2.0], "u": None}}
    assert apart(mine, mine) == 0
    assert apart(mine, {**mine, "forward": [1.0, 1.0]}) == math.inf
    assert apart(mine, {**mine, "trick_gradient": {"x": [2.2], "u": None}}) == pytest.approx(0.1)
    zeros = {**mine, "trick_gradient": {"x": [2.0], "u": [0.0]}}
    assert apart(mine, zeros) == math.inf
    assert apart(mine, zeros, none_is_zero=True) == 0
    assert apart(mine, {**mine, "trick_gradient": {"x": [2.0], "u": [1.0]}}, True) == math.inf
