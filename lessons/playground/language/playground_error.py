"""The playground's one error family: where it is, what the learner wrote, what to write."""

import ast
from collections.abc import Iterable
from typing import Self

from lessons.playground.language.words import WORDS


class PlaygroundError(ValueError):
    """A program, rule, input or document that cannot be used, said for people.

    Args:
        message: what the learner wrote, and what to write instead.
        line, column: 1 for the first; 0 where there is no such place. The line is the program's
            own, or for a rule, an input or a document that text's.
        part: what the place is in: "program", "rule", "input" or "document".
        subject: which rule or input: its op type or name; "dtype" for the number format.
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

    @classmethod
    def at(cls, node: ast.stmt | ast.expr | ast.keyword, message: str) -> Self:
        """An error at a line or an expression of the program."""
        return cls(message, node.lineno, node.col_offset + 1)

    def within(self, part: str, subject: str = "") -> Self:
        """This error, placed in a rule, an input or a document."""
        return type(self)(self.message, self.line, self.column, part, subject)

    def __str__(self) -> str:
        """The message with its place in front; a rule's or an input's stands next to its own text.

        >>> str(PlaygroundError("There is no x.", 2, 5))
        'Line 2, column 5: There is no x.'
        """
        if not self.line or self.part not in ("program", "document"):
            return self.message
        return WORDS("at_place", line=self.line, column=self.column, said=self.message)


def shape_text(shape: Iterable[int]) -> str:
    """A shape for people.

    >>> shape_text((2, 3)), shape_text(())
    ('[2, 3]', 'one number')
    """
    sizes = list(shape)
    return f"[{', '.join(str(size) for size in sizes)}]" if sizes else WORDS("one_number")
