"""A chapter's quiz on a page: five questions and tasks of its lessons, each with the lesson's lab.

The address holds the whole state, so that a reload, Back and another process find the same quiz:
``?quiz=SEED&said=20&at=1`` has answered two items and shows the second.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from lessons.outputs.catalogue import Chapter, chapters
from lessons.outputs.quiz import GAVE_UP, LENGTH, SEEDS, Item, Match, Prediction, Task, quiz
from lessons.prose.goal import is_reached
from lessons.prose.steps import fill
from pages.ui import memory, results
from pages.ui.glossed import show_text
from pages.ui.listing import markup
from pages.ui.live import live_lab
from pages.ui.natural import natural
from pages.ui.place import Place
from pages.ui.questions import labels, reply, tiles, verdict
from pages.ui.words import WORDS

WORD = "quiz"
"""The address's word for the seed."""
Commit = Callable[[str], None]


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
    """Show one item of this seed at a time, then the end."""
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
            _item(chapter, items, said, place, f"quiz_{seed}_{place}")
        link(chapter, WORDS("new_questions", n=LENGTH), ":material/refresh:")


def _said(items: Sequence[Item], text: str) -> str:
    """Return the answers in an address: for each its place among its item's keys, as a digit."""
    said = ""
    for item, digit in zip(items, text, strict=False):
        if digit not in "0123456789"[: len(item.keys)]:
            break
        said += digit
    return said


def _item(chapter: Chapter, items: Sequence[Item], said: str, place: int, name: str) -> None:
    """Show a question or a task next to its lab and, after the answer, what is right."""
    item = items[place]
    answer = item.keys[int(said[place])] if place < len(said) else ""

    def commit(key: str) -> None:
        now = f"{said[:place]}{item.keys.index(key)}"
        st.query_params.update(said=now, at=str(place))
        if len(now) == LENGTH:  # an address that ends a quiz sets no score
            memory.keep_score(chapter, LENGTH - len(_missed(items, now)))

    with st.container(key="lesson"):
        words, stage = st.columns([4, 8], gap="large")
        with stage, st.container(key="lab"):
            _lab(item, name, answer, commit)
        with words, st.container(key="words"):
            if isinstance(item, Task):
                _task(item, answer, commit)
            elif isinstance(item, Match):
                _match(item, answer, commit)
            else:
                _prediction(item, answer, commit)
            if answer:
                label = WORDS("see_end") if place + 1 == LENGTH else WORDS("next_question")
                go_on = partial(st.query_params.update, at=str(place + 1))
                st.button(label, key="go_on", on_click=go_on, type="primary")


def _lab(item: Item, name: str, answer: str, commit: Commit) -> None:
    """Show the item's lab; it covers the answer to a question until it is given."""
    if isinstance(item, Match):  # the style hides A's and B's lines until the answer
        order = {"id": name, "first": True, "values": item.settings, "cuts": "", "graph_step": None}
        live_lab("bench", [order], name=name, answers=[answer] if answer else ())
        return
    lesson, answers = item.lesson, [one.name for one in item.lesson.prose.questions]
    show = partial(live_lab, lesson.slug, step=item.number, name=name)
    if isinstance(item, Prediction):
        place = Place.of_question(lesson, item.question, item.settings, bool(answer))
        show(place.as_data(), answers=answers if answer else ())
        return
    place = Place.opened(lesson, {**item.settings, **(item.solved if answer else {})})
    if answer != item.right:  # else the learner's own way stays
        place.order(place.text, place.cuts)

    def reached(sent: object) -> None:
        given = sent if isinstance(sent, Mapping) else {}
        tried = Place.opened(lesson, {str(name): str(text) for name, text in given.items()})
        if is_reached(item.goal, tried.run.facts):
            commit(item.right)

    goal, hide = ("", ()) if answer else (item.goal, item.hidden)
    show(place.as_data(), answers=answers, hide=hide, goal=goal, reached=reached)


def _task(item: Task, answer: str, commit: Commit) -> None:
    """Show a task and a way out of it; once it is over, why it is solved so."""
    short = item.lesson.prose.front["short"]
    st.markdown(f"## {WORDS('your_move', lesson=short)}", anchors=False)
    st.markdown(item.text)
    if not answer:
        st.button(WORDS("show_a_way"), on_click=commit, args=(GAVE_UP,), type="tertiary")
        return
    done = answer == item.right
    with st.container(key="verdict"):  # the lab's script moves the keyboard there
        reply(done, WORDS("you_did_it") if done else WORDS("one_way"), item.reason)


def _match(item: Match, answer: str, commit: Commit) -> None:
    """Ask which chart belongs to a program or, after the answer, say which one it is."""
    st.markdown(f"## {WORDS('which_chart')}", anchors=False)
    st.html(markup(item.code, label=WORDS("code_in_question")))
    if not answer:
        tiles({side: side.upper() for side in item.keys}, "match", commit)
        return
    done = answer == item.right
    with st.container(key="verdict"):  # the lab's script moves the keyboard there
        said = WORDS("as_you_said") if done else WORDS("you_said", answer=answer.upper())
        reply(done, said, WORDS("is_chart", side=item.right.upper(), reason=item.reason))


def _prediction(item: Prediction, answer: str, commit: Commit) -> None:
    """Show a question or, after the answer, the verdict."""
    facts, options = item.result.facts, item.options
    text = fill(item.text, facts)
    heading = options[item.right].text if answer else item.step.title
    st.markdown(f"## {heading}", anchors=False)
    if not answer:
        show_text(item.lesson, item.number, text)
        tiles(labels(options), item.lesson.slug, commit)
        return
    said, true = options[answer], options[item.right].reply
    with st.container(key="verdict"):
        verdict(item.question, facts, answer == item.right, (said.text, said.reply), true)
    show_text(item.lesson, item.number, text, code_alone=True)


def _end(chapter: Chapter, items: Sequence[Item], said: str) -> None:
    """Say how many were right, the chapter in a sentence, and the way on."""
    missed = _missed(items, said)
    score = WORDS("score", right=LENGTH - len(missed), all=LENGTH)
    st.markdown(f"## {score}", anchors=False)
    st.markdown(f"**{chapter.title}:** {chapter.summary}")
    if st.context.is_embedded:
        return  # a teacher's page, which the links would lead out of
    for item in missed:
        title = item.lesson.prose.front["short"]
        st.page_link(
            f"{chapter.slug}.py",
            label=WORDS("missed", lesson=title, step=item.step.title),
            icon=":material/arrow_forward:",
            query_params={"lesson": item.lesson.slug, "step": str(item.number)},
        )
    course = chapters()
    for after in course[course.index(chapter) + 1 :][:1]:
        st.page_link(f"{after.slug}.py", label=WORDS("next_chapter", chapter=after.title))
    results.offer(chapter.lessons, chapter.slug)


def _missed(items: Sequence[Item], said: str) -> list[Item]:
    pairs = zip(items, said, strict=True)
    return [item for item, digit in pairs if item.keys[int(digit)] != item.right]
