"""Runs the equivalents: ``python -m tests.equivalents --python PATH [--write] [--all]``.

Only files that changed since they were last run are run again, unless ``--all``. ``--write`` keeps
the outcome in printed.json and RESULTS.md.
"""

import argparse
import json
import math
import os
import subprocess
import sys
from typing import Any

from tests.equivalents import (
    PRINTED,
    RESULTS,
    Equivalent,
    compared,
    equivalents,
    ours,
    read_printed,
)

TOLERANCE = 1e-5  # some files compute in float32, as the articles do


def main() -> int:
    """Run, compare, tell; 0 when all agree."""
    options = argparse.ArgumentParser(prog="python -m tests.equivalents", description=__doc__)
    options.add_argument("--python", required=True, help="with tensorflow and jax in it")
    options.add_argument("--write", action="store_true", help="keep the outcome")
    options.add_argument("--all", action="store_true", help="run unchanged files again as well")
    options.add_argument("only", nargs="*", help="slugs of lessons; all by default")
    asked = options.parse_args()

    versions = _versions(asked.python)
    known = read_printed() if PRINTED.exists() else {}
    kept: dict[str, dict[str, Any]] = {}
    failed = []
    for one in equivalents():
        before = known.get(one.name)
        fresh = before is None or before["digest"] != one.digest
        if (asked.all or fresh) and (not asked.only or one.lesson.slug in asked.only):
            printed, error = _run(asked.python, one)
        else:
            printed, error = (before["printed"], "") if before and not fresh else (None, "not run")
        if printed is not None:
            framework = "jax" if one.label == "JAX" else "tensorflow"
            kept[one.name] = {
                "digest": one.digest,
                "version": before["version"]
                if before and not fresh and not asked.all
                else f"{framework} {versions[framework]}",
                "printed": printed,
            }
            error = _verdict(one, printed)
        print(f"{'✗' if error else '✓'} {one.name}{': ' + error if error else ''}", flush=True)
        failed += [one.name] if error else []
    if asked.write:
        kept = {**known, **kept} if asked.only else kept
        text = json.dumps(kept, indent=1, ensure_ascii=False)
        PRINTED.write_text(text + "\n", "utf-8")
        RESULTS.write_text(table(kept), "utf-8")
    print(f"{len(kept)} compared, {len(failed)} to mend" if failed else f"all {len(kept)} agree")
    return 1 if failed else 0


def table(kept: dict[str, dict[str, Any]]) -> str:
    """RESULTS.md: what was run with which version, and how far it is from ours."""
    rows = []
    for one in equivalents():
        if one.name in kept:
            entry = kept[one.name]
            apart = compared(ours(one.lesson), entry["printed"])
            rows.append(
                f"| {one.lesson.chapter}/{one.lesson.slug} | {one.path.name} | {entry['version']} "
                f"| {', '.join(apart)} | {_at_most(max(apart.values()))} | `{entry['digest']}` |"
            )
    return "\n".join(
        [
            "# The lessons in other frameworks, run beside ours",
            "",
            "Written by `make verify-equivalents ARGS=--write`. Difference: a power of ten that",
            "no number compared exceeds, against the size of ours or 1: processors differ in",
            "the last bits. Digest: of the file's text; a test asks for a new run when it changes.",
            "",
            "| lesson | file | framework | compared | difference | digest |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _at_most(difference: float) -> str:
    """A bound that does not depend on a processor's last bits: a power of ten, 1e-15 at least."""
    return f"1e{max(-15, math.ceil(math.log10(difference))):d}" if difference else "1e-15"


def _verdict(one: Equivalent, printed: dict[str, Any]) -> str:
    try:
        apart = compared(ours(one.lesson), printed)
    except ValueError as error:
        return str(error)
    far = [f"{name} differs by {value:.2g}" for name, value in apart.items() if value > TOLERANCE]
    return "; ".join(far)


def _run(python: str, one: Equivalent) -> tuple[dict[str, Any] | None, str]:
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}
    try:
        done = subprocess.run(
            [python, str(one.path)],
            capture_output=True,
            text=True,
            timeout=180,
            env=os.environ | quiet,
        )
    except subprocess.TimeoutExpired:
        return None, "it did not end in three minutes"
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or ["it failed without a word"])[-1]
    try:
        return json.loads(done.stdout.strip().splitlines()[-1]), ""
    except (ValueError, IndexError):
        return None, f"it printed no JSON object: {done.stdout[:80]!r}"


def _versions(python: str) -> dict[str, str]:
    ask = "import importlib.metadata as m, json; print(json.dumps({n: m.version(n) for n in %r}))"
    done = subprocess.run(
        [python, "-c", ask % (("tensorflow", "jax"),)], capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{python} has no tensorflow and jax: {done.stderr.strip()}")
    found: dict[str, str] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    sys.exit(main())
