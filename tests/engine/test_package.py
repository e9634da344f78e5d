"""The engine stands alone: what importing it loads, and its package beside nothing but torch."""

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import torch
from packaging.requirements import Requirement

from lessons.tricks import __version__
from tests.support.alone import Alone

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "lessons" / "tricks"
FILES = {path.name: path.read_text("utf-8") for path in ENGINE.glob("*.py")}
MODULES = {name: f".{name.removesuffix('.py')}".removesuffix(".__init__") for name in FILES}

OFFLINE = {
    name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))
} | {
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_NO_INDEX": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}

EXAMPLES = """
import doctest, importlib, json, pkgutil, sys
from importlib.metadata import metadata
from importlib.util import find_spec
import gradient_tricks, torch

def run(name):
    return doctest.testmod(importlib.import_module(f"gradient_tricks{name}"))

modules = ["", *(f".{one.name}" for one in pkgutil.iter_modules(gradient_tricks.__path__))]
readme = doctest.DocTestParser().get_doctest(
    metadata("gradient-tricks").get_payload(), {}, "README", None, 0
)
ran = {name: run(name) for name in modules} | {"README": doctest.DocTestRunner().run(readme)}
print(json.dumps({
    "ran": ran,
    "torch": torch.__version__,
    "version": gradient_tricks.__version__,
    "others": [name for name in ("lessons", "numpy", "streamlit") if find_spec(name)],
}), file=sys.stderr)
"""


def test_importing_the_engine_loads_torch_and_itself(alone: Alone, tmp_path: Path) -> None:
    script = f"""
import sys, torch
before = set(sys.modules)
sys.path.append({str(ROOT)!r})
import lessons.tricks
print(*(set(sys.modules) - before))
"""
    (tmp_path / "bare.py").write_text(script, "utf-8")
    (loaded,) = alone.run(tmp_path, [["bare.py"]])
    known = {"torch", *sys.stdlib_module_names}
    others = {name for name in loaded.split() if name.split(".")[0] not in known}
    assert others == {"lessons", *(f"lessons.tricks{name}" for name in MODULES.values())}


def pip(*arguments: object) -> None:
    command = [sys.executable, "-m", "pip", *map(str, arguments)]
    ran = subprocess.run(command, env=OFFLINE, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy: setuptools leaves things behind where it builds."""
    folder = tmp_path_factory.mktemp("engine")
    shutil.copytree(ROOT / "lessons", folder / "lessons")
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    pip("wheel", folder, "--no-deps", "--no-build-isolation", "--wheel-dir", folder / "made")
    (made,) = (folder / "made").iterdir()
    return made


@pytest.mark.slow
def test_the_package_holds_the_engine_and_nothing_else(wheel: Path) -> None:
    with ZipFile(wheel) as held:
        names = {name for name in held.namelist() if ".dist-info/" not in name}
        about = {name.partition(".dist-info/")[2] for name in held.namelist()} - {""}
    assert names == {f"gradient_tricks/{name}" for name in [*FILES, "py.typed"]}
    assert about == {"METADATA", "RECORD", "WHEEL", "top_level.txt", "licenses/LICENSE"}
    assert wheel.stat().st_size < 50_000
    assert f"\n## {__version__}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def with_needs(name: str) -> Iterable[Distribution]:
    """A distribution that is installed here, and all that it needs."""
    waiting, found = [Requirement(name)], {}
    for asked in waiting:  # grows while it is walked
        one = found[asked.name] = distribution(asked.name)
        for need in map(Requirement, one.requires or ()):
            extras = ({"extra": extra} for extra in ("", *asked.extras))
            if need not in waiting and (not need.marker or any(map(need.marker.evaluate, extras))):
                waiting.append(need)
    return found.values()


@pytest.mark.slow
@pytest.mark.long
def test_every_example_runs_where_there_is_torch_alone(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", symlinks=True)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    for one in with_needs("torch"):
        for top in {file.parts[0] for file in one.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(str(one.locate_file(top)))
    python = tmp_path / "venv" / "bin" / "python"
    pip("--python", python, "install", wheel)  # refuses a torch outside the range it names
    told = subprocess.run(
        [python, "-I", "-W", "ignore", "-c", EXAMPLES],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    found: dict[str, Any] = json.loads(told.stderr.splitlines()[-1])
    assert (found["others"], found["torch"]) == ([], torch.__version__)
    assert found["version"] == __version__
    failed = {name: count for name, (count, _) in found["ran"].items() if count}
    assert not failed, told.stdout
    with_examples = {name for name, (_, count) in found["ran"].items() if count}
    told_to = {MODULES[name] for name, text in FILES.items() if ">>> " in text}
    assert with_examples == {"README", *told_to}
