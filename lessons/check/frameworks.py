"""The rule for a lesson's files in other frameworks, whose output is kept next to them.

``make verify-equivalents`` runs them, in_jax.py say, and keeps what they print, in in_jax.json.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from lessons.check.differences import largest_differences, lesson_numbers
from lessons.check.runs import Problems, Runs
from lessons.contract.parameters import Numbers
from lessons.outputs.plain_torch import equivalents

_TOLERANCE = 1e-5  # some files compute in float32, as the articles do
_DRAWN_INPUTS = {"u": "1.04, 0.94, 1.08"}
"""What the files have where the lesson draws its inputs."""
AGAIN = "Run `make verify-equivalents ARGS=--write`."


def digest(path: Path) -> str:
    """Digest a file as it is."""
    return hashlib.blake2b(path.read_bytes(), digest_size=6).hexdigest()


def read_printed(path: Path) -> dict[str, Any]:
    """Read what a file printed when it last ran, with its digest then; empty if it never did."""
    record = path.with_suffix(".json")
    found: dict[str, Any] = json.loads(record.read_text("utf-8")) if record.exists() else {}
    return found


def apart(runs: Runs, printed: dict[str, Any]) -> list[str]:
    """Say which numbers that a file printed differ from ours, at the defaults and fixed draws."""
    lists = {one.name for one in runs.lesson.lab.parameters if isinstance(one, Numbers)}
    given = {name: text for name, text in _DRAWN_INPUTS.items() if name in lists}
    try:
        ours = lesson_numbers(runs, runs.lesson.validate(given))
        found = largest_differences(ours, printed)
    except ValueError as error:
        return [str(error)]
    return [f"{name} differs by {gap:.2g}" for name, gap in found.items() if not gap <= _TOLERANCE]


def files(runs: Runs) -> Problems:
    """Each file was run as it is now, and printed the lesson's numbers."""
    for path in equivalents(runs.lesson).values():
        found = read_printed(path)
        if found.get("digest") != digest(path):
            yield path.name, f"It has changed since it was run. {AGAIN}"
        elif wrong := apart(runs, found["printed"]):
            yield path.name, f"{'; '.join(wrong)}. Mend one of them. {AGAIN}"
