"""A chapter's quiz on a page: five questions with new numbers.

The address holds the whole state, so that a reload, Back and another process find the same quiz:
``?quiz=SEED&said=20&at=1`` has answered two questions and shows the second.
"""

import secrets
from collections.abc import Sequence

import streamlit as st

from lessons.outputs.catalogue import Chapter, chapters
from lessons.outputs.quiz import LENGTH, SEEDS, Item, quiz
from pages.ui.listing import markup
from pages.ui.natural import natural
from pages.ui.questions import reply, tiles
from pages.ui.words import WORDS

WORD = "quiz"
"""The address's word for the seed."""


def link(chapter: Chapter, label: str, icon: str | None = None) -> None:
    """Show a link to a quiz with new numbers."""
    seed = secrets.randbelow(SEEDS)
    st.page_link(f"{chapter.slug}.py", label=label, icon=icon, query_params={WORD: str(seed)})


def seed_of(text: str) -> int:
    """Return the seed that an address names, or a new one if it names none."""
    seed = natural(text, SEEDS - 1)
    if seed is None:
        st.warning(WORDS("no_such_quiz"))
        seed = secrets.randbelow(SEEDS)
        st.query_params[WORD] = str(seed)
    return seed


def quiz_view(chapter: Chapter, seed: int) -> None:
    """Show one question of this seed at a time, then the end."""
    items = quiz(chapter.slug, seed)
    said = _said(items, st.query_params.get("said", ""))
    # An answer shows its verdict until the learner goes on.
    place = len(said) - 1 if said and st.query_params.get("at") == str(len(said) - 1) else len(said)
    with st.container(key="quiz"):
        st.title(WORDS("quiz_of", chapter=chapter.title), anchor=False)
        if place == LENGTH:
            _end(chapter, items, said)
        else:
            st.markdown(WORDS("question_of", number=place + 1, all=LENGTH))
            _question(items[place], place, said)
        link(chapter, WORDS("new_questions", n=LENGTH), ":material/refresh:")


def _said(items: Sequence[Item], text: str) -> list[str]:
    """Read the answers in an address: the place of each among its question's options."""
    said: list[str] = []
    for item, digit in zip(items, text, strict=False):
        if digit not in "0123456789"[: len(item.options)]:
            break
        said.append([*item.options][int(digit)])
    return said


def _question(item: Item, place: int, said: list[str]) -> None:
    """Show the program next to its question and, after the answer, what torch gives and why."""
    code, words = st.columns([7, 5], gap="medium")
    with code:
        st.html(markup(item.code, label=WORDS("program")))
    with words:
        st.markdown(f"## {item.question}", anchors=False)
        if place == len(said):
            labels = {str(option): f"**{text}**" for option, text in enumerate(item.options)}
            tiles(labels, f"quiz_{place}", lambda option: _answer(place, option))
            return
        why = "\n\n".join(item.why)
        if said[place] == item.right:
            reply(True, WORDS("you_said", answer=item.right), why)
        else:
            reply(False, WORDS("you_said", answer=said[place]), item.options[said[place]].reply)
            reply(True, WORDS("torch_gives", answer=item.right), why)
    label = WORDS("see_end") if place + 1 == LENGTH else WORDS("next_question")
    st.button(label, on_click=_go_on, args=(place + 1,), type="primary")


def _answer(place: int, option: str) -> None:
    before = st.query_params.get("said", "")[:place]
    st.query_params.update(said=before + option, at=str(place))


def _go_on(place: int) -> None:
    st.query_params["at"] = str(place)


def _end(chapter: Chapter, items: Sequence[Item], said: Sequence[str]) -> None:
    """Say how many were right, the trick in a sentence, and where to read on."""
    missed = [item for item, answer in zip(items, said, strict=True) if answer != item.right]
    score = WORDS("score", right=len(items) - len(missed), all=len(items))
    st.markdown(f"## {score}", anchors=False)
    st.markdown(f"**{chapter.title}:** {chapter.summary}")
    if st.context.is_embedded:
        return  # a teacher's page, which the links would lead out of
    for item in {one.lesson.slug: one for one in missed}.values():
        front = item.lesson.prose.front
        st.page_link(
            f"{chapter.slug}.py",
            label=WORDS("missed", lesson=front["short"]),
            icon=":material/arrow_forward:",
            query_params={"lesson": item.lesson.slug, **item.settings},
        )
        st.markdown(front["remember"])
    course = chapters()
    for after in course[course.index(chapter) + 1 :][:1]:
        st.page_link(f"{after.slug}.py", label=WORDS("next_chapter", chapter=after.title))
