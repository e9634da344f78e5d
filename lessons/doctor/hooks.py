"""Hooks of the program: those that never fire, since their module never runs, and where one is."""

from collections.abc import Iterator

from ..recorder import Node
from ..recorder.recording.variables import line_of
from ..recorder.torch_private import hooks_of
from ..text import listed
from .run import Run
from .source import at_line
from .words import Fault, called

INSTALLED = "site-packages"
"""Packages may put hooks on what does not run."""


def hook_on(run: Run, node: Node) -> str:
    """The last hook on a tensor, in words; "" where there is none."""
    codes = [code for one in run.recording.tensors.get(node.name, ()) for code in hooks_of(one)]
    if not codes:
        return ""
    where = at_line(codes[-1].co_filename, codes[-1].co_firstlineno)
    return f"a hook on {called(node)}, the function in {where},"


def hooks(run: Run) -> Iterator[Fault]:
    """A fault for each class of modules that have hooks and did not run, in a model that did."""
    ran = {call.path for call in run.watch.calls}
    found: dict[tuple[str, str], list[str]] = {}
    for path, module in run.modules.items():
        codes = [code for code in hooks_of(module) if INSTALLED not in code.co_filename]
        if codes and path not in ran and path not in run.watch.leaves.modules:
            where = at_line(codes[0].co_filename, codes[0].co_firstlineno)
            found.setdefault((type(module).__name__, where), []).append(path)
    for (kind, where), paths in found.items():
        same = next((node for node in run.recording if node.type == kind.lower()), None)
        instead, do = "", "Call the module itself, or take the hook off."
        if same is not None:
            instead = f": {line_of(same.place)} calls the function {same.type}"
            do = f"Call the module itself, self.{paths[0].rpartition('.')[2]}(x)."
        says = f"{listed(paths)} never ran{instead}. So the hook in {where} never fires."
        yield Fault("hook_unused", says, do, same.name if same else None)
