"""Undo and redo over texts by name. No widgets in here."""

from dataclasses import dataclass, field

Texts = dict[str, str]

MOST_STEPS = 200
"""How far undo goes back."""


@dataclass
class History:
    """What was set, step by step.

    Args:
        now: the step that is shown.
        past, future: those before and after it.
    """

    now: Texts
    past: list[Texts] = field(default_factory=list)
    future: list[Texts] = field(default_factory=list)

    def remember(self, texts: Texts) -> None:
        """Make a step of what is there, unless it is the one shown; what was undone is gone."""
        if texts == self.now:
            return
        self.past = [*self.past, self.now][-MOST_STEPS:]
        self.future = []
        self.now = dict(texts)

    def go(self, word: str) -> Texts | None:
        """The step to show for "undo" or "redo"; None where there is none."""
        if word == "undo" and self.past:
            self.future.append(self.now)
            self.now = self.past.pop()
        elif word == "redo" and self.future:
            self.past.append(self.now)
            self.now = self.future.pop()
        else:
            return None
        return dict(self.now)
