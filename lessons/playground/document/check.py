"""Reads a document into what can run: program, rules, input values. Finds every static error."""

import itertools
import keyword
import math
import re
from dataclasses import dataclass

import numpy as np
import torch

from lessons.contract.devices import DTYPES, refused, resolve
from lessons.gradient_tricks.text import cited, suggestion, visible
from lessons.gradient_tricks.tricks.playground import as_normal
from lessons.kit.noise import unit_draws
from lessons.playground.document.contents import Document, Input, Noise
from lessons.playground.document.override_rules import Row, read_override
from lessons.playground.document.words import WORDS
from lessons.playground.language.expressions import Program, kind_of
from lessons.playground.language.limits import MAX_INPUT_ELEMENTS, MAX_INPUTS, MAX_OVERRIDES
from lessons.playground.language.parse import parse_program
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.refusals import explain, no_name

_LARGEST_SEED = 2**32 - 1
_LARGEST_BOUND = 1e6


@dataclass(frozen=True)
class Checked:
    """A document that can run.

    Args:
        document: as it came.
        program: its program.
        rows: its overrides.
        output: the name that is differentiated.
        over: the input that the curves run over.
        inputs: the input values, float64 on the CPU, by name.
        device, dtype: where and in what torch computes.
    """

    document: Document
    program: Program
    rows: tuple[Row, ...]
    output: str
    over: Input
    inputs: dict[str, torch.Tensor]
    device: torch.device
    dtype: torch.dtype


def check(document: Document) -> Checked:
    """Read a document.

    Raises:
        PlaygroundError: the first thing that is wrong, and where.
    """
    names = _check_inputs(document)
    program = parse_program(document.program, names)
    if len(document.overrides) > MAX_OVERRIDES:
        raise _wrong(WORDS("many_overrides", count=len(document.overrides), most=MAX_OVERRIDES))
    rows = tuple(read_override(row) for row in document.overrides)
    _check_rows(rows)
    kinds = {n: kind_of(line.value) for line in program.assignments for n in line.names}
    output = document.output or program.names[-1]
    for name in (output, document.intended):
        if name and kinds.get(name, "number") in ("number", "mask"):
            known = [name for name, kind in kinds.items() if kind in ("tensor", "several")]
            if name not in kinds:
                near = suggestion(name, known)
                raise _wrong(WORDS("no_line_gives", name=cited(name), near=near))
            raise _wrong(WORDS("no_gradient", name=name))
    if document.dtype not in DTYPES:
        message = WORDS("no_dtype", name=cited(document.dtype), near=suggestion("", DTYPES))
        raise PlaygroundError(message, part="document", subject="dtype")
    for name, message in refused(vars(document)).items():
        raise PlaygroundError(message, part="document", subject=name)
    return Checked(
        document,
        program,
        rows,
        output,
        _plotted(document),
        {
            one.name: draws(document, one.noise, 1)[0]
            if one.noise
            else torch.tensor(one.values, dtype=torch.float64)
            for one in document.inputs
        },
        resolve(document.device)[0],
        DTYPES[document.dtype],
    )


def draws(document: Document, noise: Noise, count: int) -> torch.Tensor:
    """The first draws of an input, float64 on the CPU, shape [count, *shape of the input].

    Args:
        count: at most ``lessons.kit.noise.ROWS``.
    """
    like = noise.like
    shape = np.shape(document.input(like).values) if like else ()  # type: ignore[arg-type]
    unit = unit_draws(noise.seed, 0, math.prod(shape))
    if noise.distribution == "uniform":
        drawn = noise.a + (noise.b - noise.a) * unit
    else:
        drawn = noise.a + noise.b * as_normal(unit)
    return drawn[:count].reshape(count, *shape)


def _check_inputs(document: Document) -> list[str]:
    names = [input_.name for input_ in document.inputs]
    if not names:
        raise _wrong(WORDS("no_inputs"))
    if len(names) > MAX_INPUTS:
        raise _wrong(WORDS("many_inputs", count=len(names), most=MAX_INPUTS))
    for place, name in enumerate(names):
        _check_name(name)
        if name in names[:place]:
            raise _wrong(WORDS("input_twice"), name)
    given = [input_.name for input_ in document.inputs if input_.noise is None]
    if not given:
        raise _wrong(WORDS("all_drawn"))
    for input_ in document.inputs:
        if input_.noise is not None:
            _check_noise(input_.name, input_.noise, given)
        else:
            _check_values(input_)
    return names


def _check_name(name: str) -> None:
    if said := no_name(name):
        raise _wrong(said, visible(name, 34))
    strange = next((character for character in name if not character.isascii()), "")
    if strange:
        raise _wrong(explain(strange), cited(name))
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or keyword.iskeyword(name):
        raise _wrong(WORDS("not_a_name"), cited(name))


def _check_values(input_: Input) -> None:
    rows = input_.values if isinstance(input_.values, tuple) else (input_.values,)
    lists = [row if isinstance(row, tuple) else (row,) for row in rows]
    flat = [value for row in lists for value in row]
    if not flat or len(flat) > MAX_INPUT_ELEMENTS:
        message = WORDS("many_numbers", count=len(flat), most=MAX_INPUT_ELEMENTS)
        raise _wrong(message, input_.name)
    if len({len(row) if isinstance(row, tuple) else 0 for row in rows}) > 1:
        raise _wrong(WORDS("rows_differ"), input_.name)
    if not all(type(value) in (int, float) and math.isfinite(value) for value in flat):  # type: ignore[arg-type]
        raise _wrong(WORDS("not_finite"), input_.name)
    if not -_LARGEST_BOUND <= input_.low < input_.high <= _LARGEST_BOUND:
        raise _wrong(WORDS("plot_range", most=_LARGEST_BOUND), input_.name)


def _check_noise(name: str, noise: Noise, given: list[str]) -> None:
    if not all(abs(value) <= _LARGEST_BOUND for value in (noise.a, noise.b)):
        raise _wrong(WORDS("wide_noise", most=_LARGEST_BOUND), name)
    if noise.distribution == "uniform" and noise.b < noise.a:
        raise _wrong(WORDS("noise_ends_first"), name)
    if noise.distribution == "normal" and noise.b < 0:
        raise _wrong(WORDS("negative_deviation"), name)
    if not 0 <= noise.seed <= _LARGEST_SEED:
        raise _wrong(WORDS("large_seed", most=_LARGEST_SEED), name)
    if noise.like and noise.like not in given:
        near = suggestion(noise.like, given)
        raise _wrong(WORDS("like_no_input", name=cited(noise.like), near=near), name)


def _check_rows(rows: tuple[Row, ...]) -> None:
    for one, other in itertools.combinations(rows, 2):
        mine, others = (set(row.override.only) for row in (one, other))
        both = set(one.op_types) & set(other.op_types)
        if both and (not mine or not others or mine & others):
            message = WORDS("two_rules", op=other.op_types[0])
            raise PlaygroundError(message, part="rule", subject=other.override.op_type)


def _plotted(document: Document) -> Input:
    input_ = document.input(document.plotted)
    if input_.noise is not None:
        raise _wrong(WORDS("plot_over_noise", name=input_.name))
    count = np.size(input_.values)  # type: ignore[arg-type]
    if not 1 <= document.entry <= count:
        message = WORDS("no_entry", name=input_.name, count=count, entry=document.entry)
        raise _wrong(message)
    return input_


def _wrong(message: str, name: str = "") -> PlaygroundError:
    return PlaygroundError(message, part="input" if name else "document", subject=name)
