"""The few lines to take home: short, plain, and so chosen that they do what the lesson is about."""

import contextlib
import inspect
import io
import json

import pytest
import torch

from lessons.outputs.brief import (
    LONGEST,
    MISTAKE,
    in_plain_torch,
    interesting_settings,
    specialised,
)
from lessons.outputs.catalogue import lessons
from lessons.outputs.plain_torch import in_torch, plain_torch


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_each_lesson_ends_with_a_few_lines_that_do_what_its_file_does(lesson):
    """Put in the place of the file's own program, they give its value and its gradient."""
    few, name = in_plain_torch(lesson.slug), lesson.program.__name__
    assert len(few.splitlines()) <= max(LONGEST, 14)
    file = in_torch(lesson)
    if lesson.lab.training:
        compile(few, name, "exec")  # its networks are made in a training
        return
    values = interesting_settings(lesson)
    if lesson.lab.start is None:  # nothing records its run: the file's own main part runs it
        assert printed(lesson, values, few) == printed(lesson, values, "")
        return
    found = []
    for text in ("", few):
        names = {"__name__": name}
        exec(file + text, names)
        start = lesson.lab.start(values)
        own = {one: names[one] for one, given in start.arguments.items() if callable(given)}
        given = start.arguments | own | start.leaves
        read = inspect.signature(names[name]).parameters
        out = start.finish(names[name](**{one: given[one] for one in read if one in given}))
        leaves = [one for one in start.leaves.values() if one.requires_grad]
        gradients = torch.autograd.grad(out.sum(), leaves, allow_unused=True)
        found.append([out.detach(), *(one for one in gradients if one is not None)])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize(
    ("slug", "mistakes"),
    [
        ("cut_by_accident", ["torch.tensor(loss.item(), dtype=w.dtype)", "loss.requires_grad_()"]),
        ("in_place", ["y.data.add_(added)"]),
        ("router", ["v.sum(0)", "v / total"]),
        ("right_place", []),
    ],
)
def test_where_the_right_lines_have_no_trick_the_wrong_ones_are_shown_as_such(slug, mistakes):
    marked = [line for line in in_plain_torch(slug).splitlines() if line.endswith(MISTAKE)]
    assert [line.removesuffix(MISTAKE).split(" = ")[-1].strip() for line in marked] == mistakes


def printed(lesson, values, few):
    """What the file's main part prints at these values; with the few lines, if there are any."""
    head, main, rest = plain_torch(lesson, values).partition("if __name__")
    name, names = lesson.program.__name__, {"__name__": "__main__"}
    exec(head, names)
    whole = list(inspect.signature(names[name]).parameters)
    exec(few, names)
    own, read = names[name], inspect.signature(names[name]).parameters
    names[name] = lambda *all_: own(*(x for one, x in zip(whole, all_, strict=True) if one in read))
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(main + rest, names)
    return json.loads(out.getvalue())


PROGRAM = '''
def f(x: float, way: str, unread: int) -> float:
    """Told."""
    if way == "on" and x:
        x = 2 * x
    elif way in ("off", "out"):
        return (x, 1)
    return x if way != "off" else -x
'''


@pytest.mark.parametrize(
    ("way", "lines"),
    [
        ("on", ["def f(x):", "    if x:", "        x = 2 * x", "    return x"]),
        ("off", ["def f(x):", "    return x, 1"]),
        ("other", ["def f(x):", "    return x"]),
    ],
)
def test_branches_not_taken_are_left_out(way, lines):
    assert specialised(PROGRAM, "f", {"way": way}).splitlines() == lines
