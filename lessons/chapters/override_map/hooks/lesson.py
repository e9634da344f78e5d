"""Hooks: functions that get the gradient of one tensor, and can return another one."""

import torch

from lessons.contract.lesson import Lesson
from lessons.contract.settings import choice, slider, whole
from lessons.contract.sketch import Sketch
from lessons.contract.words import Words
from lessons.kit.curve_lab import Curve, Run, curve_lab
from lessons.kit.inputs import AlongX, inputs, point_in_text

WORDS = Words(__file__)


class Settings(AlongX):
    hook = choice("look", "clip", "scale", "reverse", default="clip")
    limit = slider(0.5, 0, 4, 0.1, accepts=(0, 1000))
    factor = slider(0.5, -2, 4, 0.1, accepts=(-100, 100))
    place = choice("before", "after")
    times = whole(1, 0, 6)
    x = inputs("-3, 1, 3")
    point = point_in_text(3)


def hooks(
    x: torch.Tensor, hook: str, limit: float, factor: float, place: str, times: int
) -> torch.Tensor:
    def on_gradient(upstream: torch.Tensor | None) -> torch.Tensor | None:
        if hook == "look" or upstream is None:  # None where nothing arrives
            return None  # after print(upstream), for example
        if hook == "clip":
            return upstream.clamp(-limit, limit)
        return -upstream if hook == "reverse" else factor * upstream

    def register(h: torch.Tensor) -> None:
        for _ in range(times if h.requires_grad else 0):
            h.register_hook(on_gradient)

    h = x + 1
    if place == "before":
        register(h)
    h = h**2
    if place == "after":
        register(h)
    return h


def once(x: torch.Tensor, hook: str, limit: float, factor: float, **_: object) -> torch.Tensor:
    """The intended gradient: that of the first h, changed once."""
    slope = 2 * (x + 1)
    if hook == "clip":
        return slope.clamp(-limit, limit)
    return {"look": 1.0, "reverse": -1.0, "scale": factor}[hook] * slope


def beliefs(run: Run, settings: Settings) -> dict[str, float]:
    """The gradient with a clipping hook on the first h, and what each belief expects of it."""
    before = run(hook="clip", place="before", times=1)
    limit, slope = settings.limit, before["true_gradient"]
    x = run.x.detach().requires_grad_()
    h = x + 1
    h.register_hook(lambda upstream: upstream.clamp(-limit, limit))
    (in_place,) = torch.autograd.grad(h.pow_(2), x)
    return {
        "in_place_clipped": in_place.item(),
        "clipped": before["trick_gradient"],
        "stayed": max(-limit, min(limit, slope)),
        "moved": min(limit, 1.0) * slope,
        "lost": slope,
    }


def on_a_weight() -> dict[str, float]:
    """What two backward passes leave in w.grad, with each kind of hook, and in a loop."""
    limit, first, second = 5.0, 6.0, 8.0

    def clip_grad(w: torch.Tensor) -> None:
        assert w.grad is not None
        w.grad.clamp_(-limit, limit)

    each, after, plain, looped = (torch.tensor(1.0, requires_grad=True) for _ in range(4))
    each.register_hook(lambda upstream: upstream.clamp(-limit, limit))
    after.register_post_accumulate_grad_hook(clip_grad)
    for w in (each, after, plain):
        for sent in (first, second):
            (sent * w).backward()
    for _ in range(3):
        looped.grad = None
        looped.register_hook(lambda upstream: upstream / 2)
        (second * looped).backward()
    return {
        "weight_limit": limit,
        "weight_first": first,
        "weight_second": second,
        "weight_each": _gradient(each),
        "weight_after": _gradient(after),
        "weight_sum": _gradient(plain),
        "looped": _gradient(looped),
    }


Gradients = tuple[torch.Tensor, ...]
"""The gradients with respect to all inputs of a module, or to all of its outputs."""


def on_a_module() -> dict[str, float]:
    """The gradients of two layers' weights; a hook on the second layer returns zeros."""
    first, second = (torch.nn.Linear(1, 1, bias=False) for _ in range(2))
    with torch.no_grad():
        first.weight.fill_(2.0)
        second.weight.fill_(3.0)

    def zeros(module: torch.nn.Module, of_inputs: Gradients, of_outputs: Gradients) -> Gradients:
        return (torch.zeros_like(of_inputs[0]),)

    second.register_full_backward_hook(zeros)
    second(first(torch.ones(1, 1))).sum().backward()
    return {"module_own": _gradient(second.weight), "module_before": _gradient(first.weight)}


def in_place() -> dict[str, float]:
    """What arrives at a and b if a hook on p or q changes its argument in place."""

    def came(on: str) -> tuple[float, float]:
        a, b = (torch.tensor(1.0, requires_grad=True) for _ in range(2))
        p = 2 * a
        q = 2 * b
        (p if on == "p" else q).register_hook(lambda upstream: upstream.mul_(10))
        (3 * (p + q)).backward()
        return _gradient(a), _gradient(b)

    return {
        "leaked": came("q")[0],
        "b_spared": came("p")[1],
        "a_true": 2.0 * 3.0,
        "a_ten_times": 2.0 * 3.0 * 10.0,
        "a_half": (2.0 * 3.0 + 2.0 * 3.0 * 10.0) / 2,
    }


def _gradient(leaf: torch.Tensor) -> float:
    assert leaf.grad is not None
    return leaf.grad.item()


CURVE = Curve(
    settings=Settings,
    plain=lambda x, **_: (x + 1) ** 2,
    intended=once,
    words=WORDS,
    facts=(beliefs,),
)

LESSON = Lesson(
    program=hooks,
    lab=curve_lab(CURVE),
    sketches={"overwritten": Sketch(x=(-2.4, -1.9, -0.5, 0.3, 0.8, 1.5, 2.2), near=0.4)},
    facts=(on_a_weight, on_a_module, in_place),
    highlight="h.register_hook(on_gradient)",
)
