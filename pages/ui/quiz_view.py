"""A chapter's quiz on a page: five questions with numbers of their own, which the address holds."""

import secrets

import streamlit as st

from lessons.outputs.catalogue import Chapter
from lessons.outputs.quiz import LENGTH, SEEDS, Item, quiz
from pages.ui import tab
from pages.ui.listing import bare, markup
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
    """The five questions of this seed."""
    if st.session_state.get(f"{_NEXT}_{chapter.slug}") == seed:
        del st.session_state[f"{_NEXT}_{chapter.slug}"]  # the next link is to new numbers
    items = quiz(chapter.slug, seed)
    keys = [f"quiz_{chapter.slug}_{seed}_{place}" for place in range(len(items))]
    said = [_said(item, key) for item, key in zip(items, keys, strict=True)]
    with st.container(key="quiz"):
        st.title(f"Quiz: {chapter.title}", anchor=False)
        st.markdown(
            f"{LENGTH} questions on the programs of this chapter. Torch has computed the answers. "
            "The address of this page holds the numbers: whoever opens it gets the same questions."
        )
        for place, item in enumerate(items):
            _ask(item, place, keys[place], said[place])
        if None not in said:
            right = sum(one == item.right for one, item in zip(said, items, strict=True))
            st.markdown(f"## {right} of {len(items)} right", anchors=False)
        link(chapter, f"{LENGTH} new questions", ":material/refresh:")


def _said(item: Item, key: str) -> int | None:
    """Which answer was given, if any."""
    said = tab.kept().get(key)
    return said if said in range(len(item.answers)) else None


def _ask(item: Item, place: int, key: str, said: int | None) -> None:
    """One question beside its program; once answered, which number is what."""
    st.markdown(f"## Question {place + 1}", anchors=False)
    st.markdown(item.question)
    code, words = st.columns([7, 5], gap="large")
    with code:
        given = "\n".join(item.given)
        st.html(
            markup(
                f"{given}\n\n{bare(item.code)}",
                label=f"The program of question {place + 1}",
                wrap=True,
            )
        )
    with words:
        if said is None:
            _choose(item, place, key)
        else:
            _verdict(item, said, place)


def _choose(item: Item, place: int, key: str) -> None:
    texts = [one.text for one in item.answers]
    chosen = st.radio("Your answer", texts, index=None, key=key)

    def send() -> None:
        # Asked anew: who clicks at once is faster than this run of the page.
        if (answer := st.session_state.get(key)) in texts:
            tab.kept()[key] = texts.index(answer)

    label = f"Commit to answer {place + 1}"
    st.button(label, key=f"{key}_send", disabled=chosen is None, on_click=send, type="primary")


def _verdict(item: Item, said: int, place: int) -> None:
    chosen, right = item.answers[said], item.answers[item.right]
    if said == item.right:
        reply("right", f"✓ You said: {right.text}", f"That is the {right.what}.", place)
    else:
        reply("wrong", f"✗ You said: {chosen.text}", f"That is the {chosen.what}.", place)
        reply("right", f"What torch computes: {right.text}", f"That is the {right.what}.", place)
    if st.context.is_embedded:
        return  # a teacher's page, which the link would lead out of
    st.page_link(
        f"{item.lesson.chapter}.py",
        label=f"See it in the lab of “{item.lesson.prose.front['short']}”",
        icon=":material/arrow_forward:",
        query_params={"lesson": item.lesson.slug, **item.settings},
    )
