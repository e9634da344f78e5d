"""The labs by name, and the wish for one that an address spells out."""

import json
import re
from collections.abc import Mapping
from typing import Any

from lessons.outputs.ask import asked
from pages.labs import bench, playground

LABS = {"bench": bench, "playground": playground}
"""Modules with ``frame`` and ``seconds``, by lab. A lab with another name is a lesson's."""


def wish_at(query: Mapping[str, str]) -> str:
    """Write the wish of somebody who has answered every question.

    Args:
        query: ``lab``; ``step``, ``cuts`` and ``open``, the drawers with commas between, if wanted.
            All other names are settings.

    Raises:
        UnknownLessonError: there is no such lesson.
        ValueError: a lesson's setting or cut is refused. What else is wrong with the wish is for
            its reader to say.
    """
    values = dict(query)
    lab, step, cuts, drawers = (values.pop(name, "") for name in ("lab", "step", "cuts", "open"))
    wish: dict[str, Any] = {"lab": lab, "values": values, "cuts": cuts, "open": drawers.split(",")}
    wish["step"] = int(step) if re.fullmatch(r"\d{1,3}", step, re.ASCII) else step or 1
    if lab not in LABS:
        questions = asked(lab, values, cuts).lesson.prose.questions
        wish["answers"] = [question.name for question in questions]
    return json.dumps(wish)
