"""The shape of the project: rooms, one-way imports, no circle, no private path.

One way means app.py → pages → lessons → the tricks, and inside lessons the order of ROOMS.
Streamlit is not known under lessons/, and the tricks know torch and the standard library only.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = [
    "gradient_tricks.tricks",
    "gradient_tricks.text",
    "gradient_tricks.recorder",
    "gradient_tricks.doctor",
    "gradient_tricks",
    "prose",
    "contract",
    "kit",
    "training",
    "playground",
    "bench",
    "chapters",
    "outputs",
    "check",
]
LAYERS = [*(f"lessons.{room}" for room in ROOMS), "lessons", "pages", "app"]  # the lowest first
PYTHONS_PRIVATE = {"_getframe", "_replace"}  # documented, underscore and all
# A home or scratch folder of somebody's machine. (Spelt so that this line does not match itself.)
PRIVATE_PATH = re.compile(r"(?<![\w.-])(?:/(?:home|Users|root|work|tmp/trees)/|[A-Z]:.Users.)\w+")


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """Every node of a file, parsed once for all tests."""
    return tuple(ast.walk(ast.parse(source)))


def imported(source: str, module: str, is_package: bool = False) -> Iterator[str]:
    """The absolute names of all that a module imports, wherever in the file."""
    package = module if is_package else module.rpartition(".")[0]
    for node in nodes(source):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:
                parents = package.split(".")
                origin = ".".join([*parents[: len(parents) - node.level + 1], origin]).rstrip(".")
            # `from lessons import tricks` may name a module or something in one: take both.
            yield from (f"{origin}.{name.name}" for name in node.names)


def within(name: str, package: str) -> bool:
    return f"{name}.".startswith(f"{package}.")


def layer(name: str) -> str | None:
    return next((one for one in LAYERS if within(name, one)), None)


def forbidden(name: str, module: str) -> bool:
    """Whether `module` may not import `name`."""
    here, there = layer(module), layer(name)
    assert here, f"{module} belongs to no layer"
    if there and there != "lessons":
        a_lesson = there == "lessons.chapters" and name.count(".") > 2
        return LAYERS.index(there) > LAYERS.index(here) or (a_lesson and here != there)
    root = name.split(".")[0]
    if here == "lessons.gradient_tricks.tricks":
        return root != "torch" and root not in sys.stdlib_module_names
    if here == "lessons.gradient_tricks.recorder":
        drawn = {"graphlay"} if module.endswith(".layout") else set()
        return root not in {"torch", "lessons", *drawn} and root not in sys.stdlib_module_names
    return root == "tests" or (here.startswith("lessons") and root == "streamlit")


def violations(source: str, module: str, is_package: bool = False) -> list[str]:
    names = imported(source, module, is_package)
    return [f"{module} imports {name}" for name in names if forbidden(name, module)]


def modules() -> Iterator[tuple[Path, str]]:
    for pattern in ("app.py", "pages/**/*.py", "lessons/**/*.py"):
        for path in sorted(ROOT.glob(pattern)):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            yield path, name.removesuffix(".__init__")


def test_imports_run_one_way() -> None:
    found = []
    for path, name in modules():
        found += violations(path.read_text(encoding="utf-8"), name, path.name == "__init__.py")
    assert not found, "\n".join(found)


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a ring, if there are any."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_no_modules_import_each_other() -> None:
    paths = {name: path for path, name in modules()}
    graph = {}
    for name, path in paths.items():
        source = path.read_text(encoding="utf-8")
        targets = set()
        for one in imported(source, name, path.name == "__init__.py"):
            targets.add(one if one in paths else one.rpartition(".")[0])
        graph[name] = (targets & set(paths)) - {name}
    assert sum(map(len, graph.values())) > 500, "the imports are found at all"
    assert circle(graph) == []
    assert circle(graph | {"lessons.gradient_tricks.text": {"lessons.outputs.search"}}), (
        "and a ring would be"
    )


def own_names(tree: ast.AST) -> Iterator[str]:
    """What a file defines: functions, classes, variables, attributes."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def foreign_private_names(sources: Iterable[str]) -> set[str]:
    """Names with one underscore in front that are imported, read off something, or looked up by
    their text, and that none of these files defines."""
    trees = [ast.parse(source) for source in sources]
    own = {name for tree in trees for name in own_names(tree)} | PYTHONS_PRIVATE
    found: set[str] = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            words = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
            found |= {part for word in words for part in word.split(".")}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return {name for name in found - own if re.fullmatch(r"_[A-Za-z]\w*", name)}


def test_one_file_of_a_room_knows_torchs_private_names() -> None:
    paths = [
        path
        for room in ("tricks", "recorder")
        for path in (ROOT / "lessons" / "gradient_tricks" / room).rglob("*")
    ]
    texts = {path: path.read_text("utf-8") for path in paths if path.suffix == ".py"}
    others = [text for path, text in texts.items() if path.name != "torch_private.py"]
    assert foreign_private_names(others) == set()
    assert len(others) == len(texts) - 2


@pytest.mark.parametrize(
    "source",
    [
        "from torch.overrides import _push_mode as push",
        "import torch._dynamo",
        "from torch._C import autograd",
        "torch._C.is_grad_enabled()",
        "self._modules",
        "getattr(node, f'_saved_{word}')",
        "attrgetter('_version')",
    ],
)
def test_a_private_name_of_torch_is_found(source: str) -> None:
    own = "class Own:\n    def _step(self): self._own = sys._getframe"
    assert len(foreign_private_names([own, source])) == 1
    assert not foreign_private_names([own, "Own()._own, getattr(Own(), '_step')"])


WRONG = [
    ("import streamlit as st", "lessons.kit.chart_pieces"),
    ("def f():\n    from streamlit import session_state", "lessons.chapters.a.b.lesson"),
    ("from ...pages import ui", "lessons.kit.chart_pieces"),
    ("from tests.support import server", "pages.home"),
    ("import numpy as np", "lessons.gradient_tricks.tricks.reversal"),
    ("from lessons.chapters.a.b.lab import LAB", "lessons.outputs.search"),
]
FINE = [
    ("import streamlit as st\nfrom lessons.outputs import catalogue\nimport pages.ui", "app"),
    ("from .ui import theme\nfrom lessons.gradient_tricks import tricks", "pages.home"),
    ("import numpy\nfrom ...tricks import reverse\nfrom lessons.kit import curve",
     "lessons.chapters.a.lab"),
    ("import torch.nn\nfrom collections import abc\nfrom . import scope",
     "lessons.gradient_tricks.tricks.map"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "module"), [*WRONG, *FINE])
def test_only_an_import_that_runs_the_other_way_is_found(source: str, module: str) -> None:
    assert len(violations(source, module)) == ((source, module) in WRONG)


def tracked() -> list[Path]:
    """What git holds; `safe.directory` because a CI job may not own the checkout it tests."""
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip(f"needs the git repository: {listed.stderr.strip()}")
    return [Path(name) for name in listed.stdout.split("\0") if name]


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    assert PRIVATE_PATH.search("kept in /" + "home/ada/lab")  # so the search itself works
    found = []
    for path in tracked():
        if (ROOT / path).is_file():  # not so while a deletion waits to be committed
            text = (ROOT / path).read_bytes().decode("utf-8", errors="ignore")
            found += [f"{path}: {match}" for match in PRIVATE_PATH.findall(text)]
    assert not found, "\n".join(found)
