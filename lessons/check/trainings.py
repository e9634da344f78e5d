"""What a lesson's checks compare, kept in its folder; ``python -m lessons keep flip`` writes it.

numbers.json has the facts that each step quotes, and the right answers. trained.json has ``ends``,
the final facts of the trainings that the text tells of, for notebooks; ``runs``, the facts that
grade answers and tasks; and ``sources``, a digest of the code that trained them. If a source
changes, a check trains ``runs`` again. `make test-long` trains all of it.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

from lessons.check import numbers, stage
from lessons.check.differences import difference
from lessons.check.runs import Problems, Runs
from lessons.contract.lesson import Lesson
from lessons.contract.result import Facts
from lessons.contract.settings import Settings
from lessons.outputs.catalogue import folder_of, load
from lessons.outputs.trained import FILE, case, key, tells
from lessons.training.under_way import ENDS, finished

_ROOT = Path(__file__).parents[2]
_ROOMS = tuple(
    f"lessons.{room}."
    for room in ("chapters", "contract", "kit", "gradient_tricks.tricks", "training")
)
"""Where the code is that trainings run. Other rooms draw, record and write texts."""
_ROUNDING = 1e-3
"""How far a training's numbers move with the machine, relative to those above 1."""
_IMPORTED = re.compile(r"^from (lessons[\w.]*) import (\w*)", re.MULTILINE)


def digest(lesson: Lesson) -> str:
    """Hash lesson.py, the tricks, and what lesson.py imports of `_ROOMS`, directly or not."""
    tricks = (path.stem for path in (_ROOT / "lessons" / "gradient_tricks" / "tricks").glob("*.py"))
    waiting = [f"lessons.gradient_tricks.tricks.{name}" for name in tricks]
    waiting.append(f"lessons.chapters.{lesson.chapter}.{lesson.slug}.lesson")
    found: dict[str, str] = {}
    while waiting:
        name = waiting.pop()
        path = _ROOT.joinpath(*name.split(".")).with_suffix(".py")
        if name not in found and name.startswith(_ROOMS) and path.is_file():
            found[name] = path.read_text("utf-8")
            for one in _IMPORTED.findall(found[name]):  # a module, or something in one
                waiting += one[0], ".".join(one)
    texts = "\n".join(f"{name}\n{found[name]}" for name in sorted(found))
    return hashlib.blake2b(texts.encode(), digest_size=8).hexdigest()


def read_trained(lesson: Lesson) -> dict[str, Any]:
    """Read the lesson's trained.json; its parts are empty if there is none."""
    path = lesson.folder / FILE
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return {"sources": "", "ends": {}, "runs": {}} | found


def is_stale(lesson: Lesson) -> bool:
    """Whether the lesson trains, and a source changed since trained.json was written."""
    return lesson.lab.training is not None and read_trained(lesson)["sources"] != digest(lesson)


@contextmanager
def reuse_saved_runs(runs: Runs) -> Iterator[None]:
    """Grade answers and tasks in the block by the runs in trained.json, unless these are stale."""
    lesson, known = runs.lesson, dict[Any, Facts]()
    if runs.thorough:
        ENDS.clear()
    elif lesson.lab.training and not is_stale(lesson):
        runs.trained |= read_trained(lesson)["runs"]
        for name, facts in runs.trained.items():
            settings = tuple(tuple(one.split("=")) for one in name.split())
            known[lesson.lab, lesson.program, settings] = facts
    ENDS.update(known)
    try:
        yield
        for (_, program, given), facts in ENDS.items():
            if program is lesson.program:
                runs.trained[" ".join(map("=".join, given))] = facts
    finally:
        for one in known:
            ENDS.pop(one, None)


def quoted_trainings(lesson: Lesson) -> dict[str, Settings]:
    """The settings of each training that the text tells of, by its name in trained.json."""
    cases = [case(lesson, step) for step in lesson.prose.steps if tells(lesson, step)]
    return {key(lesson, values): values for values in cases}


def ends(lesson: Lesson, known: Mapping[str, Facts]) -> dict[str, Facts]:
    """The facts at the end of each training that the text tells of; train those not known."""
    return {
        name: known[name] if name in known else finished(lesson.lab, lesson.program, values).facts
        for name, values in quoted_trainings(lesson).items()
    }


def file(runs: Runs) -> Problems:
    """The file trained.json has the trainings that the text tells of, and no other."""
    has, needs = read_trained(runs.lesson)["ends"].keys(), quoted_trainings(runs.lesson).keys()
    if has != needs or bool(needs) != bool(runs.lesson.lab.training):
        again = f"Run `python -m lessons keep {runs.lesson.slug}`."
        told_of, saved = ([name or "the defaults" for name in one] for one in (needs, has))
        yield "lesson.py", f"The text tells of trainings {told_of}; {FILE} has {saved}. {again}"


def describe_largest_change(runs: Runs) -> str:
    """Say which number of the runs in trained.json has changed most, beyond rounding."""
    pairs = [
        (difference(old, runs.trained[run][name]), name, old, runs.trained[run][name])
        for run, facts in read_trained(runs.lesson)["runs"].items()
        for name, old in facts.items()
        if isinstance(old, float) and name in runs.trained.get(run, {})
    ]
    if not pairs:
        return f"{FILE} has no number to compare"
    apart, name, old, new = max(pairs, key=itemgetter(0))
    return f"{name} {old:.3g} → {new:.3g}" if apart > _ROUNDING else "no number moved"


def keep(slug: str) -> None:
    """Write a lesson's numbers.json and, if it trains, its trained.json.

    Raises:
        UnknownLessonError: there is no such lesson.
    """
    runs = Runs(load(folder_of(slug)), thorough=True)
    with reuse_saved_runs(runs):
        steps = numbers.quoted_facts(runs)
        list(stage.tasks(runs))
    lines = ",\n".join(json.dumps(step, ensure_ascii=False) for step in steps)
    (runs.lesson.folder / numbers.FILE).write_text(f"[\n{lines}\n]\n", "utf-8")
    if runs.lesson.lab.training:
        same = {} if is_stale(runs.lesson) else read_trained(runs.lesson)["ends"]
        made = {"ends": ends(runs.lesson, same), "runs": runs.trained}
        rounded = json.dumps({"sources": digest(runs.lesson), **_rounded(made)}, indent=1)
        (runs.lesson.folder / FILE).write_text(rounded + "\n", "utf-8")


def _rounded(part: Any) -> Any:
    """A copy with each float rounded to six significant digits."""
    if isinstance(part, dict):
        return {name: _rounded(value) for name, value in part.items()}
    return float(f"{part:.6g}") if isinstance(part, float) else part
