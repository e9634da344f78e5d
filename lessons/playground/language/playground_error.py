"""The playground's one error family: where it is, what came, what would be right."""

import difflib
from collections.abc import Iterable


class PlaygroundError(ValueError):
    """A program, rule, input or document that cannot be used, said for people.

    Args:
        message: what came and what would be right.
        line, column: 1 for the first; 0 where there is no such place. The line is the program's
            own, or for a rule, an input or a document that text's.
        part: what the place is in: "program", "rule", "input" or "document".
        subject: which rule or input: its op type or name; of a document: output, intended, plot,
            range, entry or dtype, where it is one of these.
    """

    def __init__(
        self,
        message: str,
        line: int = 0,
        column: int = 0,
        part: str = "program",
        subject: str = "",
    ) -> None:
        self.message, self.line, self.column = message, line, column
        self.part, self.subject = part, subject
        super().__init__(message)

    def __str__(self) -> str:
        """The message with its place in front.

        >>> str(PlaygroundError("There is no x.", 2, 5))
        'Line 2, column 5: There is no x.'
        >>> str(PlaygroundError("There is no x.", 1, 3, "rule", "mul"))
        'Rule for mul, column 3: There is no x.'
        """
        head = {"rule": "Rule for", "input": "Input"}.get(self.part)
        words = [f"{head} {self.subject}" if self.subject else head.split()[0]] if head else []
        if self.line and self.part in ("program", "document"):
            words.append(f"line {self.line}" if words else f"Line {self.line}")
        if self.column:
            words.append(f"column {self.column}")
        return f"{', '.join(words)}: {self.message}" if words else self.message


def nearest(word: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The names nearest to a word, the best first, whatever their case.

    >>> nearest("sqr", ["sqrt", "exp", "square"])
    ['sqrt', 'square']
    """
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.lower(), name)
    close = difflib.get_close_matches(word[:64].lower(), folded, n=most, cutoff=0.6)
    return [folded[name] for name in close]


def suggestion(word: str, names: Iterable[str], what: str = "There are") -> str:
    """A sentence that offers the nearest name, else lists them all.

    >>> suggestion("yy", ["y", "yu"]), suggestion("k", ["y", "yu"]), suggestion("k", [])
    ('Did you mean y?', 'There are: y, yu.', 'There are none yet.')
    """
    known = list(names)
    if not known:
        return f"{what} none yet."
    near = nearest(word, known)
    return f"Did you mean {' or '.join(near)}?" if near else f"{what}: {', '.join(known)}."


def shape_text(shape: Iterable[int]) -> str:
    """A shape for people.

    >>> shape_text((2, 3)), shape_text(())
    ('[2, 3]', 'one number')
    """
    sizes = list(shape)
    return f"[{', '.join(str(size) for size in sizes)}]" if sizes else "one number"
