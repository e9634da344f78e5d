"""A chapter's quiz in a terminal: prints each question, reads the number of an answer."""

import random
import sys

from lessons.outputs.catalogue import chapters_by_slug
from lessons.outputs.quiz import SEEDS, Item, quiz
from lessons.outputs.reading import fenced
from lessons.text import console, listed, visible

STOP = "q"


def ask(slug: str, seed: int | None = None) -> str:
    """Ask the questions of a chapter's quiz, one after the other.

    Args:
        slug: the chapter.
        seed: which quiz; None draws one. The same seed asks the same questions.

    Returns:
        How many answers were right, and how to ask for the same quiz again.

    Raises:
        ValueError: no chapter has this slug, or no quiz this seed.
    """
    if slug not in chapters_by_slug():
        known = listed(list(chapters_by_slug()), most=9)
        raise ValueError(f"There is no chapter “{visible(slug)}”. There are: {known}.")
    if seed is None:
        seed = random.SystemRandom().randrange(SEEDS)
    elif seed >= SEEDS:
        raise ValueError(f"--seed is at most {SEEDS - 1:,}, and was {seed:,}.")
    right = asked = 0
    for number, item in enumerate(quiz(slug, seed), start=1):
        console.write(f"## Question {number}\n\n{_question(item)}")
        chosen = _chosen(list(item.options))
        if chosen is None:
            break
        asked += 1
        right += chosen == item.right
        console.write(f"\n{_verdict(item, chosen)}\n")
    again = f"python -m lessons quiz {slug} --seed {seed}"
    return f"{right} of {asked} right. The same questions again: {again}"


def _question(item: Item) -> str:
    answers = [f"{place}. {text}" for place, text in enumerate(item.options, start=1)]
    return "\n\n".join([fenced(item.code), item.question, "\n".join(answers)])


def _chosen(answers: list[str]) -> str | None:
    """The answer whose number was typed; None at the end of the input, or to stop."""
    while True:
        console.write(f"\nYour answer, 1 to {len(answers)}, or {STOP} to stop:")
        line = sys.stdin.readline() if sys.stdin else ""
        text = line.strip()
        if not line or text == STOP:
            return None
        if text.isascii() and text.isdigit() and 0 < int(text) <= len(answers):
            return answers[int(text) - 1]


def _verdict(item: Item, chosen: str) -> str:
    option = item.options[chosen]
    first = "Right." if chosen == item.right else f"No. {option.reply} Torch gives {item.right}."
    return "\n".join([first, *(f"- {line}" for line in item.why)])
