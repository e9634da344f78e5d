"""The engine stands alone; and the distribution, in an environment that has only what it needs."""

import json
import os
import re
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

from lessons.gradient_tricks.tricks import __version__
from lessons.playground.document.as_text import IMPORTS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "lessons" / "gradient_tricks"
PACKAGE_FILES = {
    path.relative_to(PACKAGE.parent).as_posix(): path.read_text("utf-8")
    for path in PACKAGE.rglob("*")
    if path.suffix in {".py", ".typed", ".css", ".js"} or path.name == "en.md"
}
"""What the wheel has to hold."""
EXAMPLE = ROOT / "pages" / "ui" / "own_code" / "train.py"

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
    module = importlib.import_module(name)
    torch.set_default_dtype(torch.float32)  # gradient_tricks.playground sets float64
    return doctest.testmod(module)

modules = [one.name for one in pkgutil.walk_packages(gradient_tricks.__path__, "gradient_tricks.")]
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

USER = """
import torch
from torch import Tensor, nn

import gradient_tricks as gt
from gradient_tricks import Trace, TraceError, gradient_override_map, stop_gradient, trace


def loss(x: Tensor) -> Tensor:
    with gradient_override_map({"Square": "Identity"}):
        return (gt.straight_through(torch.round)(x) * stop_gradient(x)).sum()


def faults(net: nn.Module, x: Tensor) -> list[str]:
    seen: Trace = trace(net, x)
    return [fault.says for fault in seen.faults]


try:
    print(faults(nn.Linear(2, 1), torch.ones(1, 2)), trace(lambda x: x.detach().sum(), torch.ones(
        2, requires_grad=True)).faults[0].kind)
    gt.assert_gradients(nn.Linear(2, 1), torch.ones(1, 2))
    trace(loss)
except TraceError as error:
    print(type(error).__name__)
"""
"""What a user writes, for the types too."""


def pip(*arguments: object) -> None:
    done(sys.executable, "-m", "pip", *arguments, folder=ROOT)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy: setuptools leaves things behind where it builds."""
    folder = tmp_path_factory.mktemp("engine")
    shutil.copytree(PACKAGE, folder / "lessons" / PACKAGE.name)
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    pip("wheel", folder, "--no-deps", "--no-build-isolation", "--wheel-dir", folder / "made")
    (made,) = (folder / "made").iterdir()
    return made


@pytest.mark.slow
def test_the_wheel_holds_the_tricks_the_recorder_and_the_doctor_and_nothing_else(
    wheel: Path,
) -> None:
    with ZipFile(wheel) as held:
        names = {name for name in held.namelist() if ".dist-info/" not in name}
        about = {name.partition(".dist-info/")[2] for name in held.namelist()} - {""}
    assert names == {*PACKAGE_FILES}
    told = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "top_level.txt"}
    assert about == {*told, "licenses/LICENSE"}
    assert wheel.stat().st_size < 250_000
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


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the wheel, torch, graphlay and what these need."""
    folder = tmp_path_factory.mktemp("bare") / "venv"
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for one in [*with_needs("torch"), *with_needs("graphlay")]:
        for top in {file.parts[0] for file in one.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(str(one.locate_file(top)))
    python = folder / "bin" / "python"
    pip("--python", python, "install", wheel)  # refuses a torch outside the range it names
    return python


def done(*command: object, folder: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    words = [*map(str, command)]
    done = subprocess.run(
        words, cwd=folder, env=OFFLINE, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done


@pytest.mark.long
def test_every_example_runs_where_there_is_torch_alone(python: Path, tmp_path: Path) -> None:
    told = done(python, "-I", "-W", "ignore", "-c", EXAMPLES, folder=tmp_path)
    found: dict[str, Any] = json.loads(told.stderr.splitlines()[-1])
    assert (found["others"], found["torch"]) == ([], torch.__version__)
    assert found["version"] == __version__
    failed = {name: count for name, (count, _) in found["ran"].items() if count}
    assert not failed, told.stdout
    with_examples = {name for name, (_, count) in found["ran"].items() if count}
    names = {name for name, text in PACKAGE_FILES.items() if ">>> " in text}
    told_to = {name.removesuffix(".py").replace("/", ".") for name in names}
    assert with_examples == {"README", *(name.removesuffix(".__init__") for name in told_to)}


def texts_and_numbers(page: Path) -> tuple[list[str], list[float]]:
    """Split a page into the texts between its numbers, without torch's version, and its numbers."""
    text = re.sub(r"torch \S+", "", page.read_text("utf-8"))
    pieces = re.split(r"(-?\d+(?:\.\d+)?)", text)
    return pieces[::2], [float(number) for number in pieces[1::2]]


@pytest.mark.slow
def test_the_command_says_of_the_readme_s_example_what_the_readme_says(
    python: Path, tmp_path: Path
) -> None:
    shutil.copy(EXAMPLE, tmp_path)
    readme = (PACKAGE / "README.md").read_text("utf-8")
    assert f"```python\n{EXAMPLE.read_text('utf-8')}```" in readme
    ((command, shown),) = re.findall(r"^\$ gradient-tricks (.*)\n([^`]*)```", readme, re.MULTILINE)
    doctor = python.with_name("gradient-tricks")
    told = done(doctor, *command.split(), folder=tmp_path, status=1)
    for part in shown.split("…\n"):
        assert part.strip() in told.stdout, told.stdout
    (page,) = tmp_path.glob("*.html")
    kept = EXAMPLE.with_suffix(".html")
    (texts, numbers), (old_texts, old_numbers) = map(texts_and_numbers, (page, kept))
    assert texts == old_texts, f"copy {page} to {kept}"
    # A number's last digit depends on the processor.
    assert numbers == pytest.approx(old_numbers, rel=1e-4), f"copy {page} to {kept}"


@pytest.mark.long  # it starts processes that each load torch
def test_a_user_s_program_runs_and_has_types(python: Path, tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(USER, "utf-8")
    assert done(python, "user.py", folder=tmp_path).stdout == "[] detached\nTraceError\n"
    program = "x = input([3])\ny = flip_gradient(x, 2) / 7\nshow(y, x)\n"
    (tmp_path / "program.py").write_text(f"{IMPORTS}{program}", "utf-8")
    shown = "value: [0.42857142857142855]\ngradient: [-0.2857142857142857]\n"
    assert done(python, "program.py", folder=tmp_path).stdout == shown
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(python)]
    (tmp_path / "wrong.py").write_text(f"{USER}\ngt.flip_gradient('x')\ngt.no_trick\n", "utf-8")
    done(*mypy, "user.py", folder=tmp_path)
    wrong = subprocess.run([*mypy, "wrong.py"], cwd=tmp_path, capture_output=True, text=True)
    assert re.findall(r"\[([\w-]+)\]", wrong.stdout) == ["arg-type", "attr-defined"], wrong.stdout
