"""Runs the equivalents: ``python -m tests.equivalents --python PATH [--write] [--all]``.

Only files that changed since they were last run are run again, unless ``--all``. ``--write`` keeps
what a file printed beside it, as JSON.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from lessons.check import frameworks
from lessons.check.runs import Runs
from lessons.outputs.catalogue import lessons
from lessons.outputs.plain_torch import equivalents


def main() -> int:
    """Run, compare, tell; 0 when all agree."""
    options = argparse.ArgumentParser(prog="python -m tests.equivalents", description=__doc__)
    options.add_argument("--python", required=True, help="with tensorflow and jax in it")
    options.add_argument("--write", action="store_true", help="keep the outcome")
    options.add_argument("--all", action="store_true", help="run unchanged files again as well")
    options.add_argument("only", nargs="*", help="slugs of lessons; all by default")
    asked = options.parse_args()

    versions = _versions(asked.python)
    chosen = [one for one in lessons() if not asked.only or one.slug in asked.only]
    compared, failed = 0, 0
    for lesson, label, path in [
        (one, *each) for one in chosen for each in equivalents(one).items()
    ]:
        entry, error = frameworks.read_printed(path), ""
        if asked.all or entry.get("digest") != frameworks.digest(path):
            printed, error = _run(asked.python, path)
            framework = "jax" if label == "JAX" else "tensorflow"
            version = f"{framework} {versions[framework]}"
            entry = {"digest": frameworks.digest(path), "version": version, "printed": printed}
        error = error or "; ".join(frameworks.apart(Runs(lesson), entry["printed"]))
        if asked.write and not error:
            record = json.dumps(entry, ensure_ascii=False) + "\n"
            path.with_suffix(".json").write_text(record, "utf-8")
        name = f"{lesson.chapter}/{lesson.slug}/{path.name}"
        print(f"{'✗' if error else '✓'} {name}{': ' + error if error else ''}", flush=True)
        compared, failed = compared + 1, failed + bool(error)
    print(f"{compared} compared, {failed} to mend" if failed else f"all {compared} agree")
    return 1 if failed else 0


def _run(python: str, path: Path) -> tuple[dict[str, Any] | None, str]:
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}
    try:
        done = subprocess.run(
            [python, str(path)],
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
