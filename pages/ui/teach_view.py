"""The page for teachers: builds a link to one step of a lesson with its lab set and restricted."""

import html
from urllib.parse import parse_qsl

import streamlit as st

from lessons.contract.lesson import Lesson, without_hidden
from lessons.contract.parameters import Values
from lessons.contract.prose import Step
from lessons.outputs import catalogue
from lessons.outputs.scorm import framed, package
from pages.labs import payload
from pages.ui import results
from pages.ui.live import kept_labs
from pages.ui.place import Place

_HEIGHT = 900
"""Pixels of the frame: a step beside its lab at a common width."""
_TOLD = """\
It sends `gradient-tricks/results`, version 1, by `postMessage`: when the lesson opens, after each
answer, and at the end. Check the `origin` and the `source` of each message.

`right`, `right_at_first` and `answered` are counts, of `questions`. `done` says whether the last
step was reached with every question answered. `answers` has one object for each question:
`lesson`, `question`, `first_answer`, `final_answer`, `right`, `right_at_first`, `time`, all but the
first two `null` before the answer. Nothing in it says who the learner is.
"""


def teach_page() -> None:
    """Draw the page."""
    st.title("Teach", anchor=False)
    st.markdown(
        "Make a link that opens a lesson at one step, with its lab as you want it. A hidden "
        "control is not shown; a held one is shown and cannot be moved. No account is needed."
    )
    with st.container(key="teach"):
        left, right = st.columns(2, gap="large")
    with left:
        slugs = [lesson.slug for lesson in catalogue.lessons()]
        slug = st.selectbox("Lesson", slugs, format_func=_name, key="teach_lesson")
        lesson = catalogue.find(slug)
        steps = lesson.prose.steps
        step = st.selectbox(
            "Step",
            range(1, len(steps) + 1),
            format_func=lambda number: f"{number}. {steps[number - 1].title}",
            key=f"teach_step_{slug}",
        )
        values = _values(lesson, steps[step - 1])
        names = [parameter.name for parameter in lesson.lab.parameters]
        labels = {parameter.name: parameter.label for parameter in lesson.lab.parameters}
        hidden = st.multiselect(
            "Hide",
            names,
            format_func=labels.__getitem__,
            key=f"teach_hide_{lesson.slug}",
            select_all=False,
        )
        fixed = st.multiselect(
            "Fix",
            [name for name in names if name not in hidden],
            format_func=labels.__getitem__,
            key=f"teach_fix_{lesson.slug}",
            select_all=False,
        )
        if without_hidden(lesson, steps[step - 1].text, hidden) != steps[step - 1].text:
            st.caption("The step's “Try it” names a control that you hide, and is left out.")
    with right:
        _settings(lesson, values)
        st.markdown("**The link**")
        query = teacher_query(lesson, step, values, hidden, fixed)
        link = f"{_site()}{lesson.chapter}?{query}"
        st.code(link, language=None, wrap_lines=True)
        st.link_button("Preview in a new tab", link)
        _frame(lesson, query)


def _frame(lesson: Lesson, query: str) -> None:
    """Offer the same lesson for a page of the teacher's, and for a learning platform."""
    try:
        address = framed(lesson, _site(), query)
    except ValueError:  # the browser says where the site is, and may say anything
        return
    st.markdown("**In a frame of your page**")
    title = html.escape(lesson.title)
    style = f'width="100%" height="{_HEIGHT}" style="border: 0" allow="clipboard-write"'
    frame = f'<iframe src="{html.escape(address)}" title="{title}" {style}></iframe>'
    st.code(frame, language=None, wrap_lines=True)
    with st.expander("What the frame tells your page"):
        st.markdown(_TOLD)
    st.markdown(
        "**In Moodle or another learning platform**: a SCORM 1.2 package, which reports completion "
        "and the share of right answers."
    )
    results.downloads({f"{lesson.slug}-scorm.zip": package(lesson, address)})


def teacher_query(
    lesson: Lesson, step: int, values: Values, hidden: list[str], fixed: list[str]
) -> str:
    """The link's query: what the step would set is always in it, so that the link decides."""
    own = {name for name in lesson.prose.steps[step - 1].lab if name in values}
    query = payload.query(lesson, values, step, (), hidden, fixed)
    there = lesson.changed(values).keys() | set(fixed)
    rest = {name: text for name, text in lesson.text(values).items() if name in own - there}
    return "&".join([query, *([payload.encoded(rest)] if rest else [])])


def _name(slug: str) -> str:
    lesson = catalogue.find(slug)
    return f"{lesson.prose.front['short']}: {lesson.title}"


def _values(lesson: Lesson, step: Step) -> Values:
    """The lab as it is set in this tab; where it was never opened, as the step sets it."""
    query = kept_labs().get(lesson.slug)
    if query is None:
        return lesson.validate(step.lab)
    words = dict(parse_qsl(query, keep_blank_values=True)[:200])
    return Place.opened(lesson, words).values


def _settings(lesson: Lesson, values: Values) -> None:
    changed = lesson.changed(values)
    labels = {parameter.name: parameter.label for parameter in lesson.lab.parameters}
    st.markdown("**The lab's settings**")
    if changed:
        st.html(
            "<ul>"
            + "".join(f"<li>{labels[name]}: {_plain(text)}</li>" for name, text in changed.items())
            + "</ul>"
        )
    else:
        st.markdown("All as they are at first.")
    st.page_link(
        f"{lesson.chapter}.py",
        label="Open the lab to set it, then come back",
        query_params={"lesson": lesson.slug},
    )


def _plain(text: str) -> str:
    return html.escape(text) or "empty"


def _site() -> str:
    """The address of the home page."""
    return (st.context.url or "").split("?")[0].removesuffix("teach")
