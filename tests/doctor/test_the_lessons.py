"""The broken programs of the fourteen lessons on real code: the trace names each one's fault.

As each bug.py has it, or the lesson's own program at the settings that break it. What a trace
cannot know is whether a gradient is wanted: those have no fault, and the numbers are there.
"""

import re

import pytest
import torch

from lessons.doctor import trace
from lessons.outputs.catalogue import find, lessons


def leaf(*numbers: float, **more) -> torch.Tensor:
    return torch.tensor(numbers[0] if len(numbers) == 1 else numbers, requires_grad=True, **more)


def broken(slug):
    return find(slug).bug.broken


def program(slug):
    return find(slug).program


WILD = [one for one in lessons() if one.chapter in ("gone_missing", "in_the_wild")]


def value_one():
    return trace(program("value_one"), leaf(0.3, -1.0), torch.tensor([1.0, -2.0]), "no_stop")


def two_estimators():
    mean, noise, reward = leaf(0.5), torch.tensor(1.5), torch.tensor(2.0)
    return trace(broken("two_estimators"), mean, noise, reward)


def collapse():
    student = torch.nn.Linear(2, 1)
    broken("collapse")(student)
    return trace(student, torch.ones(3, 2))


def codebook():
    return trace(broken("codebook"), leaf(1.0, 0.0), leaf(0.5, 0.5))


def learned_step():
    return trace(broken("learned_step"), leaf(0.1, 0.4, 0.7, 2.5), leaf(0.3))


def unroll():
    return trace(broken("unroll"), leaf(0.5), [[1.0, 2.0], [3.0, 4.0]], 0.1)


def cut_by_accident():
    w = leaf(1.0, -2.0)
    x, label = torch.tensor([[1.0, 0.5], [0.0, 1.0]]), torch.tensor([1.0, 1.0])
    return trace(broken("cut_by_accident"), w, x, label, torch.optim.SGD([w], lr=0.1))


def in_place():
    return trace(broken("in_place"), leaf(-1.0, 2.0), torch.tensor(3.0))


def frozen_checkpoint():
    base, adapters = [leaf(0.6), leaf(0.9)], [leaf(0.0), leaf(0.0)]

    def adapted(weight, adapter):
        return lambda x: torch.tanh((weight + adapter) * x)

    layers = [adapted(*both) for both in zip(base, adapters, strict=True)]
    return trace(broken("frozen_checkpoint"), torch.tensor([1.0, -2.0]), base, layers, leaf(0.5))


def router():
    generator = torch.Generator().manual_seed(0)
    weights, experts, x = (
        torch.randn(*shape, generator=generator) for shape in ((4, 8), (4, 8, 8), (32, 8))
    )
    layer = broken("router")
    return trace(
        lambda router: ((layer(x, router, experts, 1) - 1) ** 2).mean(), weights.requires_grad_()
    )


def scaled(x=1e-5, scale=1.0):
    return trace(program("scaled"), leaf(x), 32768, scale, "none", 1.0, "float16")


NAMED = {
    value_one: ("zero_gradient", r"2 paths meet at logp and cancel"),
    two_estimators: ("zero_gradient", r"2 paths meet at mean and cancel"),
    collapse: ("nothing_wanted", r"All 2 parameters of Linear have requires_grad=False"),
    codebook: ("detached", r"code gets no gradient: sub\(…\)\.detach\(\)"),
    learned_step: ("detached", r"s gets no gradient: sub\(…\)\.detach\(\)"),
    unroll: ("second_time", r"train went backward again .* in \S+\.py:\d+"),
    cut_by_accident: ("detached", r"w gets no gradient: matmul\(…\)\.data"),
    in_place: ("refused", r"relu saved out .* add changed it in place"),
    frozen_checkpoint: ("checkpoint", r"adapter, adapter_1 get no gradient"),
    router: ("zero_gradient", r"is rounding alone: 2 paths meet at weight and cancel"),
    scaled: ("zero_gradient", r"The gradient underflows: .* float16"),
}


@pytest.mark.parametrize("run", NAMED, ids=lambda run: run.__name__)
@pytest.mark.filterwarnings("ignore:None of the inputs")
def test_the_fault_of_a_lesson_is_named(run):
    kind, says = NAMED[run]
    made = run()
    found = [one for one in made.faults if re.search(says, f"{one.says} {one.do}")]
    assert [one.kind for one in found] == [kind]
    others = {one.kind for one in made.faults} - {kind}
    assert others <= ({"fresh_leaf"} if run is cut_by_accident else set())  # it has two mistakes


def critic_leak():
    rewards = [torch.tensor(1.0), torch.tensor(0.0)]
    made = trace(broken("critic_leak"), [leaf(-0.5), leaf(-2.0)], rewards, [leaf(0.25), leaf(0.5)])
    return made, {"baselines_0": 0.25, "baselines_1": 1.0}  # log p over the two steps


def moving_target():
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.ones_(model.weight)
    state, after = torch.tensor([[1.0]]), torch.tensor([[2.0]])
    made = trace(broken("moving_target"), model, state, 0.0, after, 0.9)
    return made, {"model.weight": 1.28}  # 1.6 with a target that stands still


def one_outlier():
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    made = trace(broken("one_outlier"), leaf(0.0, 0.0), [(x, torch.tensor([-1.0, -1.0]))], 1.0)
    return made, {"weight": 0.5**0.5}


MEANT = (critic_leak, moving_target, one_outlier)


@pytest.mark.parametrize("run", MEANT, ids=lambda run: run.__name__)
def test_a_gradient_that_one_may_not_want_is_no_fault_and_its_size_is_told(run):
    made, expected = run()
    assert made.faults == []
    for name, norm in expected.items():
        assert made.run.gradients[name].norm == pytest.approx(norm)
        assert name in made.html


def test_all_fourteen_are_here():
    here = {run.__name__ for run in (*NAMED, *MEANT)}
    assert here == {lesson.slug for lesson in WILD}
    assert len(here) == 14


def test_a_scale_that_is_too_large_is_named_as_such():
    (fault,) = scaled(4.0, 268435456.0).faults
    assert "first ∞ of the backward pass" in fault.says
    assert "smaller loss scale" in fault.do
    assert scaled(4.0, 65536.0).faults == []


@pytest.mark.parametrize("penalty", ["no", "yes"])
@pytest.mark.parametrize("silence", ["no", "yes"])
@pytest.mark.parametrize("spelling", ["tensor", "item", "numpy", "detach"])
@pytest.mark.filterwarnings("ignore:To copy construct")
def test_each_spelling_of_a_cut_loss_is_named(spelling, silence, penalty):
    made = trace(program("cut_by_accident"), leaf(1.0, 0.5), 2.0, 3.0, spelling, silence, penalty)
    kinds = [one.kind for one in made.faults]
    if penalty == "no":
        cut = {"tensor": "copied", "detach": "detached"}.get(spelling, spelling)
        assert kinds == [cut]
        assert ("requires_grad=True" in made.faults[0].says) == (silence == "yes")
    elif spelling in ("numpy", "detach"):  # beside a path that lives, a detach may be meant
        assert kinds == []
        stop = "lets the value through but no gradient. loss gets nothing"
        assert any(stop in note for note in made.notes)
        assert any("came back as a constant" in note for note in made.notes) == (
            spelling == "numpy"
        )
    else:
        assert kinds == ["left_torch"]


def test_the_other_gates_and_changes_have_no_fault():
    router_, edit = program("router"), program("in_place")
    for k, gate in ((1, "raw"), (1, "stopped"), (2, "normalised"), (3, "normalised")):
        assert trace(router_, leaf(1.0, -0.5, -2.0), k, gate, 2.0, -1.0, 0.5).faults == []
    for change in ("new", "clone"):
        assert trace(edit, leaf(2.0), 1.0, change, "square").faults == []
    for reads, savers in (("square", ["exp", "mul"]), ("triple", ["exp"])):
        faults = trace(edit, leaf(2.0), 1.0, "data", reads).faults
        assert [(one.kind, one.node) for one in faults] == [("stale", one) for one in savers]


def test_what_a_second_loss_of_the_program_trains_is_not_missing():
    def gan(generator, discriminator):
        fake = generator * 2
        (discriminator * fake.detach()).sum().backward()
        (discriminator * fake).sum().backward()

    made = trace(gan, leaf(1.0), leaf(3.0))
    assert made.faults == []
    norms = {name: one.norm for name, one in made.run.gradients.items()}
    assert norms == {"generator": 6.0, "discriminator": 2.0}
