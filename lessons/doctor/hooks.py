"""Hooks of the program that never fire, since their module never runs."""

from collections.abc import Iterator

from ..recorder.recording.variables import line_of
from ..recorder.torch_private import hooks_of
from ..text import listed
from .cuts import Told
from .watch import Run


def hooks(run: Run) -> Iterator[Told]:
    """A fault for each class of modules that have hooks and did not run, in a model that did."""
    if run.watch is None:
        return
    ran = {call.path for call in run.calls}
    found: dict[tuple[str, str], list[str]] = {}
    for root, whole in run.watch.leaves.modules.items():
        for name, module in whole.named_modules():
            path = f"{root}.{name}".strip(".")
            codes = hooks_of(module)
            if codes and path not in ran and path != root:
                where = line_of((codes[0].co_filename, (codes[0].co_firstlineno, 0, 0, 0)))
                found.setdefault((type(module).__name__, where), []).append(path)
    for (kind, where), paths in found.items():
        same = next((node for node in run.recording if node.type == kind.lower()), None)
        instead = f": {line_of(same.place)} calls the function {same.type}" if same else ""
        yield (
            "hook_unused",
            f"{listed(paths)} has a hook, the function in {where}, and never ran{instead}. So the "
            "hook never fires.",
            f"Call the module itself, self.{paths[0].rpartition('.')[2]}(x)."
            if same else "Call the module itself, or take the hook off.",
            same.name if same else None,
        )  # fmt: skip
