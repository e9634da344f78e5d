"""A chapter's quiz on a page: five predictions of its lessons, each with the lesson's lab.

The address holds the whole state, so that a reload, Back and another process find the same quiz:
``?quiz=SEED&said=20&at=1`` has answered two questions and shows the second.
"""

import secrets
from collections.abc import Sequence

import streamlit as st

from lessons.outputs.catalogue import Chapter, chapters
from lessons.outputs.quiz import LENGTH, SEEDS, Item, quiz
from lessons.prose.steps import fill
from pages.ui import memory, results
from pages.ui.glossed import show_text
from pages.ui.live import live_lab
from pages.ui.natural import natural
from pages.ui.place import Place
from pages.ui.questions import labels, tiles, turn, verdict
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
            _question(items[place], f"quiz_{seed}_{place}", place, said)
        link(chapter, WORDS("new_questions", n=LENGTH), ":material/refresh:")


def _said(items: Sequence[Item], text: str) -> list[str]:
    """Read the answers in an address: the place of each among its question's answers."""
    said: list[str] = []
    for item, digit in zip(items, text, strict=False):
        if digit not in "0123456789"[: len(item.keys)]:
            break
        said.append(item.keys[int(digit)])
    return said


def _question(item: Item, name: str, place: int, said: list[str]) -> None:
    """Show a question next to its lab and, after the answer, what is right."""
    facts, options, answered = item.result.facts, item.options, place < len(said)
    with st.container(key="lesson"):
        words, stage = st.columns([4, 8], gap="large")
        with stage, st.container(key="lab"):
            _lab(item, name, answered)
        with words, st.container(key="words"):
            text = fill(item.step.text, facts)
            heading = options[item.right].text if answered else item.step.title
            st.markdown(f"## {heading}", anchors=False)
            if not answered:
                show_text(item.lesson, item.number, text)
                shown = {str(option): one for option, one in enumerate(labels(options).values())}
                tiles(shown, f"quiz_{place}", lambda option: _answer(place, option))
                return
            answer = options[said[place]]
            right, true = said[place] == item.right, options[item.right].reply
            with st.container(key="verdict"):  # the lab's script moves the keyboard there
                verdict(item.question, facts, right, (answer.text, answer.reply), true)
            show_text(item.lesson, item.number, text, code_alone=True)
            if item.step.turn:
                turn(fill(item.step.turn.text, facts))
            label = WORDS("see_end") if place + 1 == LENGTH else WORDS("next_question")
            st.button(label, on_click=_go_on, args=(place + 1,), type="primary")


def _lab(item: Item, name: str, answered: bool) -> None:
    """Show the lesson's lab at the question's settings; it covers the answer until it is given."""
    lab = Place.of_question(item.lesson, item.question, item.settings, answered)
    answers = [one.name for one in item.lesson.prose.questions] if answered else []
    live_lab(item.lesson.slug, lab.as_data(), step=item.number, answers=answers, name=name)


def _answer(place: int, option: str) -> None:
    before = st.query_params.get("said", "")[:place]
    st.query_params.update(said=before + option, at=str(place))


def _go_on(place: int) -> None:
    st.query_params["at"] = str(place)


def _end(chapter: Chapter, items: Sequence[Item], said: Sequence[str]) -> None:
    """Say how many were right, the chapter in a sentence, and the way on."""
    missed = [item for item, answer in zip(items, said, strict=True) if answer != item.right]
    right = len(items) - len(missed)
    memory.keep_score(chapter, right)
    score = WORDS("score", right=right, all=len(items))
    st.markdown(f"## {score}", anchors=False)
    st.markdown(f"**{chapter.title}:** {chapter.summary}")
    if st.context.is_embedded:
        return  # a teacher's page, which the links would lead out of
    results.offer(chapter.lessons, chapter.slug)
    for item in missed[:1]:
        st.page_link(
            f"{chapter.slug}.py",
            label=WORDS("missed", lesson=item.lesson.prose.front["short"]),
            icon=":material/arrow_forward:",
            query_params={"lesson": item.lesson.slug, "step": str(item.number)},
        )
    course = chapters()
    for after in course[course.index(chapter) + 1 :][:1]:
        st.page_link(f"{after.slug}.py", label=WORDS("next_chapter", chapter=after.title))
