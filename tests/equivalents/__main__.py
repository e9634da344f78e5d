"""Runs the equivalents: ``python -m tests.equivalents --python PATH [--write] [--all]``.

Only files that changed since they were last run are run again, unless ``--all``. ``--write`` keeps
what a file printed beside it, as JSON.
"""

import argparse
import json
import os
import subprocess
import sys
from typing import Any

from tests.equivalents import TOLERANCE, Equivalent, compared, equivalents, ours


def main() -> int:
    """Run, compare, tell; 0 when all agree."""
    options = argparse.ArgumentParser(prog="python -m tests.equivalents", description=__doc__)
    options.add_argument("--python", required=True, help="with tensorflow and jax in it")
    options.add_argument("--write", action="store_true", help="keep the outcome")
    options.add_argument("--all", action="store_true", help="run unchanged files again as well")
    options.add_argument("only", nargs="*", help="slugs of lessons; all by default")
    asked = options.parse_args()

    versions = _versions(asked.python)
    told, failed = 0, 0
    for one in equivalents():
        if asked.only and one.lesson.slug not in asked.only:
            continue
        entry, error = one.kept, ""
        if asked.all or entry is None or entry["digest"] != one.digest:
            printed, error = _run(asked.python, one)
            framework = "jax" if one.label == "JAX" else "tensorflow"
            version = f"{framework} {versions[framework]}"
            entry = {"digest": one.digest, "version": version, "printed": printed}
        error = error or _verdict(one, entry["printed"])
        if asked.write and not error:
            one.record.write_text(json.dumps(entry, ensure_ascii=False) + "\n", "utf-8")
        print(f"{'✗' if error else '✓'} {one.name}{': ' + error if error else ''}", flush=True)
        told, failed = told + 1, failed + bool(error)
    print(f"{told} compared, {failed} to mend" if failed else f"all {told} agree")
    return 1 if failed else 0


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
