"""The page for teachers: sets a lesson or the bench on a live preview, and makes a link to it."""

import html
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urljoin

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lessons.bench.setting import SIDES
from lessons.bench.tricks import TRICKS
from lessons.bench.words import label
from lessons.contract.lesson import Lesson
from lessons.gradient_tricks.text import cited
from lessons.outputs import catalogue
from lessons.outputs.address import query, without_hidden
from pages.labs import bench
from pages.labs.messages import Wish
from pages.ui import results
from pages.ui.component import component
from pages.ui.place import TEACHER, Place
from pages.ui.words import WORDS

_HEIGHT = 660
"""Pixels of the frame: it shows one step with its stage, or the bench with its charts."""
_SITE = re.compile(r"https?://([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?(/[^\s?#]*)?")
_CHOICES = "trick", "function", "noise", ".rule"
"""The ends of the names of those controls that decide which others are in sight."""
_PREVIEW = "teach_preview"
"""Session key of the preview: ``query`` is the address in it, which follows its lab."""
_component = component(
    "teach_preview",
    "teach_preview",
    f'<iframe class="gt-preview" title="{WORDS("preview")}" height="{_HEIGHT}"></iframe>',
)


class Chosen(NamedTuple):
    """What a teacher chose.

    Args:
        page: the page of the app, relative to its root.
        query: the address's query, as the preview stands.
        title: of the frame.
        choice: what was chosen above the preview; another choice loads another address.
    """

    page: str
    query: str
    title: str
    choice: tuple[object, ...]


def teach_page() -> None:
    """Draw the page."""
    st.title(WORDS("teach"), anchor=False)
    st.markdown(WORDS("teach_about"))
    names = {"": WORDS("the_bench")}
    names |= {one.slug: f"{one.prose.front['short']}: {one.title}" for one in catalogue.lessons()}
    with st.container(key="to_copy"):
        lesson, *columns = st.columns([4, 4, 3, 3])
        first = 0 if "trick" in st.query_params else 1  # a link from the bench brings its settings
        slug = lesson.selectbox(WORDS("lesson"), names, index=first, format_func=names.__getitem__)
        chosen = _lesson(catalogue.find(slug), columns) if slug else _bench(columns)
        site = urljoin(st.context.url or "", ".")
        if not _SITE.fullmatch(site):  # the browser says it
            st.error(WORDS("no_site", site=cited(site)))
            return
        address = f"{site.rstrip('/')}/{chosen.page}?{chosen.query}"
        framed = f"{address}&embed=true"
        _give(chosen.title, address, framed)
        data = {"choice": repr(chosen.choice), "address": framed}
        _component(key=_PREVIEW, data=data, on_query_change=lambda: None)
        st.markdown(WORDS("teach_results"))
        results.offer(catalogue.lessons(), "course")


def _lesson(lesson: Lesson, columns: Sequence[DeltaGenerator]) -> Chosen:
    """Let the teacher choose a step, and controls to hide or lock."""
    titles = [f"{n}. {step.title}" for n, step in enumerate(lesson.prose.steps, start=1)]
    key = f"teach_step_{lesson.slug}"
    step = 1 + titles.index(columns[0].selectbox(WORDS("step"), titles, key=key))
    labels = {one.name: one.label for one in lesson.lab.parameters}
    hidden, locked = _controls(columns[1:], lesson.slug, labels)
    asked = lesson.prose.steps[step - 1]
    if without_hidden(lesson, asked.text, hidden) != asked.text:
        st.caption(WORDS("try_it_omitted"))
    query = _query(lesson, step, hidden, locked)
    return Chosen(lesson.chapter, query, lesson.title, (lesson.slug, step, hidden, locked))


def _bench(columns: Sequence[DeltaGenerator]) -> Chosen:
    """Let the teacher choose a trick, and controls of the bench to hide or lock."""
    titles = {name: label(f"trick_{name}") for name in TRICKS}
    asked = st.query_params.get("trick", "")
    first = [*titles].index(asked) if asked in titles else 0
    trick = columns[0].selectbox(WORDS("trick"), titles, first, format_func=titles.__getitem__)
    words = _in_preview()
    # The bench's address leaves its first trick out.
    there = words.get("trick", "" if "lesson" in words else next(iter(titles)))
    query = {"trick": trick}
    if there == trick:
        query |= {n: words[n][: bench.LONGEST_TEXT] for n in bench.controls() & words.keys()}
    labels = _labels({name: text for name, text in query.items() if name.endswith(_CHOICES)})
    chosen = _controls(columns[1:], trick, labels)
    query |= {word: ",".join(names) for word, names in zip(TEACHER, chosen, strict=True) if names}
    return Chosen("", urlencode(query), WORDS("the_bench"), (trick, *chosen))


def _labels(values: dict[str, str]) -> dict[str, str]:
    """Return what a link can hide of the bench as it is set, by name: what is in sight."""
    groups = bench.frame(Wish(lab="bench", values=values, good={}))["groups"]
    labels = {bench.GRADIENT: WORDS("gradients")}
    for one in (one for group in groups for one in group["controls"] if not one["hidden"]):
        side, dot, _ = one["name"].partition(".")
        own = f"{side.upper()}: " if dot and side in SIDES else ""
        labels[one["name"]] = own + one["label"]
    return labels


def _controls(
    columns: Sequence[DeltaGenerator], key: str, labels: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Let the teacher choose controls to hide, and some of the others to lock."""

    def choose(column: DeltaGenerator, verb: str, names: list[str]) -> list[str]:
        return column.multiselect(
            verb,
            names,
            format_func=labels.__getitem__,
            key=f"teach_{verb}_{key}",
            placeholder=WORDS("choose_controls"),
            select_all=False,
        )

    hidden = choose(columns[0], WORDS("hide"), [*labels])
    free = [name for name in labels if name not in (*hidden, bench.GRADIENT)]
    return hidden, choose(columns[1], WORDS("lock"), free)


def _in_preview() -> dict[str, str]:
    """Read the query of the preview's address: it comes from a browser and may say anything."""
    state = st.session_state.get(_PREVIEW)
    query = state.get("query") if isinstance(state, Mapping) else None
    if query is None:  # until there is a preview, this page's own address counts
        return st.query_params.to_dict()
    return dict(parse_qsl(str(query or "")[1:30_000], keep_blank_values=True)[:200])


def _query(lesson: Lesson, step: int, hidden: list[str], locked: list[str]) -> str:
    """Return the link's query, from the preview's lab, or from the step if that shows another one.

    It names all that the step sets, so that the link decides.
    """
    given = lesson.prose.steps[step - 1].lab
    place = Place(lesson, {**lesson.defaults, **given})
    words = _in_preview()
    if (words.pop("lesson", ""), words.get("step")) == (lesson.slug, str(step)):
        place = Place.opened(lesson, words)
    return query(lesson, place.values, step, place.valid_cuts, hidden, locked, given)


def _give(title: str, address: str, framed: str) -> None:
    """Show the link and the code for a frame, next to each other."""
    link, frame = st.columns(2)
    link.markdown(f"**{WORDS('link')}**")
    link.code(address, language=None, wrap_lines=True)
    link.link_button(WORDS("open_link"), address, type="tertiary")
    frame.markdown(f"**{WORDS('frame')}**")
    source, title = html.escape(framed), html.escape(title)
    style = f'width="100%" height="{_HEIGHT}" style="border: 0" allow="clipboard-write"'
    code = f'<iframe src="{source}" title="{title}" {style}></iframe>'
    frame.code(code, language=None, wrap_lines=True)
