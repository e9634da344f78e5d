"""A chapter's quiz in a terminal: prints each question, reads the number of an answer."""

import random
import sys

from lessons.outputs.catalogue import chapters_by_slug
from lessons.outputs.quiz import SEEDS, Item, quiz
from lessons.outputs.reading import fenced
from lessons.text import cited, console, listed
from lessons.text.words import Texts

STOP = "q"
WORDS = Texts(__file__)


def ask(slug: str, seed: int | None = None) -> str:
    """Ask the questions of a chapter's quiz, one after the other.

    Args:
        seed: which quiz; None draws one. The same seed asks the same questions.

    Returns:
        How many answers were right, and how to ask for the same quiz again.

    Raises:
        ValueError: no chapter has this slug, or no quiz this seed.
    """
    if slug not in chapters_by_slug():
        known = listed(list(chapters_by_slug()), most=9)
        raise ValueError(WORDS("no_chapter", slug=cited(slug, 40), known=known))
    if seed is None:
        seed = random.SystemRandom().randrange(SEEDS)
    elif seed >= SEEDS:
        raise ValueError(WORDS("seed_at_most", most=f"{SEEDS - 1:,}", seed=f"{seed:,}"))
    right = asked = 0
    for number, item in enumerate(quiz(slug, seed), start=1):
        head = WORDS("question", number=number)
        console.write(f"## {head}\n\n{_question(item)}")
        chosen = _chosen(list(item.options))
        if chosen is None:
            break
        asked += 1
        right += chosen == item.right
        console.write(f"\n{_verdict(item, chosen)}\n")
    again = f"python -m lessons quiz {slug} --seed {seed}"
    return WORDS("score", right=right, asked=asked, again=again)


def _question(item: Item) -> str:
    answers = [f"{place}. {text}" for place, text in enumerate(item.options, start=1)]
    return "\n\n".join([fenced(item.code), item.question, "\n".join(answers)])


def _chosen(answers: list[str]) -> str | None:
    """The answer whose number was typed; None at the end of the input, or to stop."""
    while True:
        console.write("\n" + WORDS("your_answer", most=len(answers), stop=STOP))
        line = sys.stdin.readline() if sys.stdin else ""
        text = line.strip()
        if not line or text == STOP:
            return None
        if text.isascii() and text.isdigit() and 0 < int(text) <= len(answers):
            return answers[int(text) - 1]


def _verdict(item: Item, chosen: str) -> str:
    option = item.options[chosen]
    first = WORDS("right")
    if chosen != item.right:
        first = WORDS("no", reply=option.reply, right=item.right)
    return "\n".join([first, *(f"- {line}" for line in item.why)])
