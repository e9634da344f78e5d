"""A program runs where it says. The meta device stands for one that this machine lacks: like any
other, it refuses an op that mixes devices."""

from dataclasses import replace

import pytest
import torch

from lessons.contract.devices import WORDS
from lessons.playground.document.as_text import from_text, to_text
from lessons.playground.document.check import check
from lessons.playground.document.presets import preset, presets
from lessons.playground.language.functions import FUNCTIONS
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.budget import Budget, Plan
from lessons.playground.running.execute import gradients, live
from lessons.playground.running.outcome import run
from lessons.playground.running.sweep import sweep
from lessons.tricks import playground
from pages.labs.bench import frame
from pages.labs.messages import Wish
from tests.playground.programs import of_function
from tests.support.folded import folded


@pytest.mark.filterwarnings("ignore:gradient_override_map")
@folded("document", [*(one.document for one in presets()), *map(of_function, FUNCTIONS)])
def test_inputs_constants_rules_and_curves_are_on_the_device(document, monkeypatch):
    torch.ones(2, device="meta") ** 2  # takes longer than a program may: it imports a lot
    checked = replace(check(document), device=torch.device("meta"))
    made = live(checked)
    sent = gradients(made.output, [*made.inputs.values()])
    tensors = [*made.inputs.values(), *made.values.values(), *sent]
    assert all(one.is_meta for one in tensors if torch.is_tensor(one) and one.dim())
    to = torch.Tensor.to

    def zeros(one, *where):  # for the numbers that a meta tensor doesn't have
        return to(torch.zeros_like(one, device="cpu") if where[0] == "cpu" else one, *where)

    monkeypatch.setattr(torch.Tensor, "to", zeros)
    assert sweep(checked, Plan(9, 2, 12), Budget())[0].y.shape == (9,)


def test_the_noise_of_a_file_is_drawn_on_the_cpu():
    with torch.device("meta"):
        assert playground.uniform(0, 1, seed=3).is_meta
        assert playground.unit_draw(3, (2,)).device.type == "cpu"


def test_a_device_that_is_not_here_is_replaced_and_one_that_is_none_is_refused():
    document = preset("noise_leaks").with_(device="cuda:7")
    assert from_text(to_text(document)) == document
    assert WORDS("no_device", wanted="cuda:7") in [one.text for one in run(document).notes]
    with pytest.raises(PlaygroundError, match="“toaster” is not a device"):
        check(document.with_(device="toaster"))


@pytest.mark.parametrize("there", [["cpu"], ["cpu", "cuda:0"]])
def test_the_bench_offers_a_device_where_there_is_a_choice(there, monkeypatch):
    monkeypatch.setattr("pages.labs.payload.devices", lambda: there)
    (*_, more) = frame(Wish(lab="bench", values={}))["groups"]
    shown = [one["name"] for one in more["controls"] if not one["hidden"]]
    assert ("device" in shown) == (len(there) > 1)
