"""The labs by name, and the wish for one that an address spells out."""

import json
import re
from typing import Any
from urllib.parse import parse_qsl

from lessons.outputs.ask import asked
from pages.labs import bench, playground
from pages.labs.messages import RefusedError, Wish, read

LABS = {"bench": bench, "playground": playground}
"""Modules with ``frame`` and ``seconds``, by lab. A lab with another name is a lesson's."""


def read_address(query: str) -> Wish:
    """Read the wish of a GET of ``frame.json``, in which every question counts as answered.

    Args:
        query: the address's: ``lab``; ``step``, ``cuts`` and ``open``, the drawers with commas
            between, if wanted. All other names are settings.

    Raises:
        UnknownLessonError: there is no such lesson.
        RefusedError: a part of it is refused.
    """
    values = dict(parse_qsl(query, keep_blank_values=True))
    lab, step, cuts, drawers = (values.pop(name, "") for name in ("lab", "step", "cuts", "open"))
    wish: dict[str, Any] = {"lab": lab, "values": values, "cuts": cuts, "open": drawers.split(",")}
    wish["step"] = int(step) if re.fullmatch(r"\d{1,3}", step, re.ASCII) else step or 1
    if lab not in LABS:
        try:
            questions = asked(lab, values, cuts).lesson.prose.questions
        except ValueError as error:
            raise RefusedError(str(error)) from None
        wish["answers"] = [question.name for question in questions]
    return read(json.dumps(wish))
