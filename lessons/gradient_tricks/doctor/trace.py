"""`trace`: the one call for a notebook or a script; the command line makes the same."""

import html
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..recorder import record
from ..text import counted
from .faults import findings
from .report import as_text, listed_faults
from .run import Run, watched
from .target import target
from .watch import Watch

if TYPE_CHECKING:
    from .page import Drawn

FRAME = 640
"""Height of a trace within a notebook, in pixels."""


class Trace:
    """What one forward and one backward pass showed. A notebook displays it.

    `faults` are sentences with what to do about each; `notes` tell what is no fault by itself;
    `error` is what the program raised, as it does alone; `recording` the graph with its numbers;
    `html` the page, `save` writes it; as text it is what the command line prints. The numbers are
    copies: of the program's tensors only the leaves are kept.
    """

    def __init__(self, run: Run) -> None:
        self.run, self.recording, self.error = run, run.recording, run.error
        self.faults, self.notes = findings(run)
        run.forget()

    @property
    def status(self) -> int:
        """The command's exit status: 1 with a fault, 2 where there was nothing to look at."""
        return 1 if self.faults else 2 if self.run.unseen else 0

    @cached_property
    def drawn(self) -> "Drawn | None":
        """The drawing and its steps; None where no op ran."""
        from .page import drawn  # on demand, as the page: most of the time to import the doctor

        return drawn(self.run, self.faults)

    @cached_property
    def html(self) -> str:
        """One HTML document that asks for no other file."""
        from .page import page

        return page(self.run, self.faults, self.notes, self.drawn)

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, and return where it is."""
        written = Path(path)
        written.write_text(
            self.html, "utf-8", "backslashreplace"
        )  # a text may have half a character
        return written

    def __str__(self) -> str:
        return as_text(self.run, self.faults, self.notes)

    def __repr__(self) -> str:
        return f"<trace of {self.run.name}: {counted(len(self.faults), 'fault')}>"

    def _repr_html_(self) -> str:
        inside = html.escape(self.html, quote=True)
        style = f"width:100%;height:{FRAME}px;border:1px solid #8886;border-radius:6px"
        return (
            f'<iframe title="trace of {html.escape(self.run.name, True)}" style="{style}" '
            f'sandbox="allow-scripts" srcdoc="{inside}"></iframe>'
        )


def trace(function: Any, *args: Any, **kwargs: Any) -> Trace:
    """Run `function(*args, **kwargs)` once forward, once backward, and say what happened.

    Args:
        function: a function that returns a tensor (summed if it is not one number), a dict or an
            object with a `loss`; or an `nn.Module`, its class, or a function that makes one.
        args: what it is called with; tensors that require a gradient get one. `.grad` of all is
            left as it is.

    Raises:
        TraceError: the function raised, or there is nothing to trace.

    >>> import torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> trace(lambda x: (x.detach() * 2).sum(), x).faults[0].kind
    'detached'
    """
    names = {*kwargs, *(f"argument {place}" for place in range(len(args)))}
    what = target(function, given=names)
    with record() as recording:
        run = watched(Watch(recording), what, args, kwargs)
    return Trace(run)


def assert_gradients(function: Any, *args: Any, **kwargs: Any) -> Trace:
    """Fail, in a test of yours, unless `trace(function, *args, **kwargs)` finds no fault.

    Raises:
        AssertionError: with each fault, its place and what to do about it; also where no gradient
            was looked at.

    >>> import torch
    >>> net = torch.nn.Linear(2, 1)
    >>> assert_gradients(lambda: net(torch.ones(3, 2)).mean())
    <trace of <lambda>: 0 faults>
    """
    made = trace(function, *args, **kwargs)
    if made.status:
        said = listed_faults(made.run, made.faults) if made.faults else str(made)
        raise AssertionError(said) from made.error
    return made
