"""A chapter's quiz on a page: five questions with numbers of their own, which the address holds."""

import secrets

import streamlit as st

from lessons.outputs.catalogue import Chapter, chapters
from lessons.outputs.quiz import LENGTH, SEEDS, Item, quiz
from pages.ui import tab
from pages.ui.listing import markup
from pages.ui.questions import tiles
from pages.ui.verbatim import verbatim
from pages.ui.verdict import reply

WORD = "quiz"
"""The address's word for the seed."""
_NEXT = "quiz_next"
"""Session key, with the chapter behind it: the seed of a link."""


def link(chapter: Chapter, label: str, icon: str | None = None) -> None:
    """A link to a quiz with new numbers."""
    seed = st.session_state.setdefault(f"{_NEXT}_{chapter.slug}", secrets.randbelow(SEEDS))
    st.page_link(f"{chapter.slug}.py", label=label, icon=icon, query_params={WORD: str(seed)})


def seed_of(text: str) -> int:
    """The seed that an address names; another one where that is none."""
    if text.isascii() and text.isdigit() and len(text) <= len(str(SEEDS)) and int(text) < SEEDS:
        return int(text)
    st.warning(f"There is no quiz “{verbatim(text[:40])}”. These are new questions.")
    seed = secrets.randbelow(SEEDS)
    st.query_params[WORD] = str(seed)
    return seed


def quiz_view(chapter: Chapter, seed: int) -> None:
    """One question of this seed at a time, then the end."""
    if st.session_state.get(f"{_NEXT}_{chapter.slug}") == seed:
        del st.session_state[f"{_NEXT}_{chapter.slug}"]  # the next link is to new numbers
    items, name = quiz(chapter.slug, seed), f"quiz_{chapter.slug}_{seed}"
    keys = [f"{name}_{place}" for place in range(LENGTH)]
    said = [_said(item, key) for item, key in zip(items, keys, strict=True)]
    place = min(tab.kept().get(f"{name}_at", 0), LENGTH)
    with st.container(key="quiz"):
        st.title(f"Quiz: {chapter.title}", anchor=False)
        if place == LENGTH:
            _end(chapter, items, said)
        else:
            st.markdown(f"Question {place + 1} of {LENGTH}")
            _question(items[place], keys[place], said[place])
            if said[place] is not None:
                label = "See the end →" if place + 1 == LENGTH else "Next question →"
                st.button(label, on_click=_keep, args=(f"{name}_at", place + 1), type="primary")
        link(chapter, f"{LENGTH} new questions", ":material/refresh:")


def _keep(key: str, place: int) -> None:
    tab.kept()[key] = place


def _said(item: Item, key: str) -> str | None:
    """Which answer was given, if any."""
    said, options = tab.kept().get(key), list(item.options)
    return options[said] if said is not None and said < len(options) else None


def _question(item: Item, key: str, said: str | None) -> None:
    """The program beside its question; once answered, what torch gives and why."""
    code, words = st.columns([7, 5], gap="medium")
    with code:
        st.html(markup(item.code, label="The program"))
    with words:
        st.markdown(f"## {item.question}", anchors=False)
        if said is None:
            labels = {str(place): f"**{text}**" for place, text in enumerate(item.options)}
            tiles(labels, key, lambda place: _keep(key, int(place)))
            return
        why = "\n\n".join(item.why)
        if said == item.right:
            reply("right", f"You said: {said}", why)
        else:
            reply("wrong", f"You said: {said}", item.options[said].reply)
            reply("right", f"Torch gives {item.right}", why)


def _end(chapter: Chapter, items: tuple[Item, ...], said: list[str | None]) -> None:
    """How many were right, the trick in a sentence, and where to read on."""
    missed = [one for one, answer in zip(items, said, strict=True) if answer != one.right]
    st.markdown(f"## You got {len(items) - len(missed)} of {len(items)}", anchors=False)
    st.markdown(f"**{chapter.title}:** {chapter.summary}")
    if st.context.is_embedded:
        return  # a teacher's page, which the links would lead out of
    for item in {one.lesson.slug: one for one in missed}.values():
        front = item.lesson.prose.front
        st.page_link(
            f"{chapter.slug}.py",
            label=f"Missed: {front['short']}",
            icon=":material/arrow_forward:",
            query_params={"lesson": item.lesson.slug, **item.settings},
        )
        st.markdown(front["remember"])
    course = chapters()
    for after in course[course.index(chapter) + 1 :][:1]:
        st.page_link(f"{after.slug}.py", label=f"Next chapter: {after.title}")
