"""Answers a wish's text, whatever it says: with a frame, or with why there is none."""

import logging
from typing import Literal, NamedTuple

from lessons.contract.lesson import RefusedTextError
from lessons.outputs.catalogue import UnknownLessonError
from pages.labs import lesson, wire
from pages.labs.by_name import LABS, read_address
from pages.labs.messages import RefusedError, read
from pages.labs.words import WORDS

QUICK_SECONDS = 0.05
"""Seconds of computing that a wish may take in the quick lane."""
MISTAKE = WORDS("mistake")


class Reply(NamedTuple):
    """The outcome of a wish.

    Attributes:
        kind: ``frame``; ``slow``, if it must be asked for in the slow lane; ``mistake``, if we made
            one; else as ``pages.labs.messages.Aside`` has it.
        content: the frame as JSON, or text for people.
    """

    kind: Literal["frame", "slow", "again", "refused", "mistake"]
    content: bytes | str = ""


def answer(text: str, slow: bool) -> Reply:
    """Compute the frame that a wish asks for; ``slow`` allows it to take long.

    Args:
        text: the wish as JSON, or the query of an address, which begins with "?".
    """
    try:
        wish = read_address(text[1:]) if text.startswith("?") else read(text)
        lab = LABS.get(wish.lab, lesson)
        if not slow and lab.seconds(wish) > QUICK_SECONDS:
            return Reply("slow")
        return Reply("frame", wire.encode(lab.frame(wish)))
    except RefusedTextError as error:
        return Reply("again", str(error))
    except (RefusedError, UnknownLessonError) as error:
        return Reply("refused", str(error))
    except BaseException:  # a mistake of ours, or a panic of a library in Rust
        logging.getLogger(__name__).exception(WORDS("no_frame"))
        return Reply("mistake", MISTAKE)
