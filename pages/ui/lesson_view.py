"""A lesson on a page: its text in steps on one side, its live lab on the other, code below."""

import html
from collections.abc import Mapping

import streamlit as st

from lessons.contract.lesson import Lesson, without_hidden
from lessons.contract.prose import Step, fill
from lessons.outputs import catalogue
from lessons.outputs.quiz import LENGTH
from lessons.outputs.search import plain
from pages.labs import numbers, payload
from pages.labs.code import marked_lines
from pages.labs.lesson import TORCH
from pages.ui import memory, playground_view, questions, quiz_view, results
from pages.ui.end_card import end_card, has_ended, pass_by
from pages.ui.glossed import show_text
from pages.ui.listing import markup
from pages.ui.live import live_lab
from pages.ui.memory import Trail
from pages.ui.place import Place, place_of


def lesson_view(lesson: Lesson) -> None:
    """Draw the whole lesson."""
    place, trail = place_of(lesson), memory.trail(lesson)
    key = f"lab_{lesson.slug}"

    def follow() -> None:
        """Go to the step whose mark was clicked; what a browser sends may be anything."""
        sent = st.session_state.get(key)
        asked = sent.get("go") if isinstance(sent, Mapping) else None
        if type(asked) is int and 1 <= asked <= len(lesson.prose.steps):
            _go(lesson, place, trail, asked)

    step = lesson.prose.steps[trail.step - 1]
    question = step.question
    st.title(lesson.title, anchor=False)
    words, lab = st.columns([4.4, 7.6], gap="large")
    with lab, st.container(key="lab"):
        live_lab(
            lesson.slug,
            place.as_data(),
            step=trail.step,
            answers=trail.answers,
            committed=trail.answers.get(question.name, "") if question else "",
            hide=place.hide,
            fix=place.fix,
            note=place.note,
            show={
                # A bug is looked for in its own code: nothing leads away to the lab.
                "name": "" if question and question.kind == "bug" else step.stage,
                "step": f"{lesson.slug} {trail.step}",
            },
            on_go=follow,
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            given = (trail.step, trail.answers)
            st.button("Reset the lab", on_click=place.reset, args=given, key="reset")
            playground_view.offer(lesson)
    with words, st.container(key="words"):
        _words(lesson, place, trail)
    with st.container(key="code"):
        _code(lesson, place)
    results.tell(lesson, trail)


def lab_alone(lesson: Lesson) -> None:
    """The lab for a frame of another page, where nobody is asked: nothing in it is covered."""
    place, trail = place_of(lesson), memory.trail(lesson)
    with st.container(key="lab"):
        # Inside the frame it would replace the lab that the teacher chose.
        to = f'href="{lesson.chapter}?lesson={lesson.slug}" target="_blank" rel="noopener"'
        link = f"<a {to}>Open the lesson</a>"
        st.html(f'<h1 class="gt-framed">{html.escape(lesson.title)} {link}</h1>')
        live_lab(
            lesson.slug,
            place.as_data(),
            step=trail.step,
            answers=[question.name for question in lesson.prose.questions],
            hide=place.hide,
            fix=place.fix,
            note=place.note,
        )


def _words(lesson: Lesson, place: Place, trail: Trail) -> None:
    steps = lesson.prose.steps
    step = steps[trail.step - 1]
    st.html(_step_bar(lesson, trail))
    st.markdown(f"## {step.title}", anchors=False)
    # A question is about the settings that its step makes, and so is what is said of the answer:
    # their numbers stand still. All others follow the lab.
    question = step.question
    still = question is not None and questions.stands_still(lesson, question)
    facts = (place.asked(question) if question else place.result).facts
    text = without_hidden(lesson, step.text, place.hide)
    show_text(lesson, trail.step, fill(text, facts, None if still else numbers.mark))
    # In one column the lab is far below, and the page never scrolls there by itself. What another
    # program does cannot be seen there.
    if question is None or questions.is_of_lab(question):
        see = f"See the {_spoken_of(step)} ↓"
        st.html(f'<button type="button" class="gt-see" data-see>{see}</button>')
    if question:
        with st.container(key="question"):
            questions.ask(lesson, question, place, trail)
    if has_ended(lesson, trail):
        end_card(lesson, trail)
    _forward_and_back(lesson, place, trail)


def _spoken_of(step: Step) -> str:
    """What the lab's part is called that the step speaks of."""
    names = {"": "lab", "graph": "graph", "table": "table"}
    return names.get(step.stage, "chart")


def _step_bar(lesson: Lesson, trail: Trail) -> str:
    """Where one is, and a link to each step: the lab's script has it followed in this session."""
    steps = lesson.prose.steps
    chapter = catalogue.chapter_of(lesson)
    items = []
    for number, step in enumerate(steps, start=1):
        mark = asks = ""
        if step.question is not None:
            # A dot that is filled once it is answered: a check mark would say that it was right.
            done = step.question.name in trail.answers
            asks = ", answered" if done else ", a question"
            mark = f'<i class="gt-asks{" gt-answered" if done else ""}"></i>'
        title = html.escape(f"{plain(step.title)}{asks}")
        state = "here" if number == trail.step else "past" if number < trail.step else "coming"
        current = ' aria-current="step"' if number == trail.step else ""
        items.append(
            f'<li><a href="{lesson.chapter}?lesson={lesson.slug}&step={number}" class="{state}" '
            f'data-go="{number}"{current} title="{title}">{number}{mark}'
            f'<span class="gt-unseen"> {title}</span></a></li>'
        )
    right = memory.progress(chapter.lessons).by_predictions
    right = right and f"In this chapter: {right}"
    return (
        f'<p class="gt-eyebrow">Step {trail.step} of {len(steps)} <span>{right}</span></p>'
        f'<nav aria-label="Steps"><ol class="gt-steps">{"".join(items)}</ol></nav>'
    )


def _go(lesson: Lesson, place: Place, trail: Trail, step: int) -> None:
    _pass(lesson, place, trail, step)
    trail.step = step
    questions.mark_done(lesson, trail)
    place.go(step, trail.answers)


def _pass(lesson: Lesson, place: Place, trail: Trail, to: int) -> None:
    """Who goes on without an answer finds the lab as the commit would have left it."""
    question = lesson.prose.steps[trail.step - 1].question
    open_ = question is not None and question.name not in trail.answers
    if question is not None and open_ and question.kind != "bug" and to > trail.step:
        place.reveal(question)


def _forward_and_back(lesson: Lesson, place: Place, trail: Trail) -> None:
    steps = lesson.prose.steps
    step = steps[trail.step - 1]

    with st.container(horizontal=True, key="turn"):
        back, on, there = trail.step - 1, trail.step + 1, (lesson, place, trail)
        st.button("← Back", disabled=back < 1, on_click=_go, args=(*there, back), key="back")
        if on <= len(steps):
            asking = step.question and step.question.name not in trail.answers
            label = "Skip the question →" if asking else f"Next: {steps[on - 1].title} →"
            st.button(label, on_click=_go, args=(*there, on), key="next")
        elif not has_ended(lesson, trail):
            st.button("Skip the question: see the end →", on_click=_end, args=there)
    if on > len(steps) and not st.context.is_embedded:
        _next_lesson(lesson)


def _end(lesson: Lesson, place: Place, trail: Trail) -> None:
    _pass(lesson, place, trail, trail.step + 1)
    pass_by(lesson)


def _next_lesson(lesson: Lesson) -> None:
    """Where the course goes on, at the end of a lesson."""
    chapter = catalogue.chapter_of(lesson)
    if lesson == chapter.lessons[-1]:
        quiz_view.link(chapter, f"The chapter’s quiz: {LENGTH} questions", ":material/quiz:")
    course = catalogue.lessons()
    after = course[[one.slug for one in course].index(lesson.slug) + 1 :]
    if after:
        st.page_link(
            f"{after[0].chapter}.py",
            label=f"Next lesson: {after[0].prose.front['short']}",
            icon=":material/arrow_forward:",
            query_params={"lesson": after[0].slug},
        )
        st.caption(after[0].title)
    else:
        st.page_link(
            "playground.py",
            label="That was the last lesson. Try a program of your own in the playground",
            icon=":material/arrow_forward:",
        )


_TAKE = "Take it with you"


def _code(lesson: Lesson, place: Place) -> None:
    """One pane at a time; that of the code that ran follows the lab's cuts."""
    st.markdown("## The code", anchors=False)
    ran = "torch, as it ran"
    names = [ran, *lesson.equivalents, _TAKE]
    shown = st.segmented_control(
        "Which code", names, default=ran, required=True, label_visibility="collapsed"
    )
    if shown == ran:
        source = lesson.source_with(place.drawn)
        marked = markup(source, marked_lines(source, lesson.highlight), ran)
        st.html(f'<div data-pane="{TORCH}">{marked}</div>')
        if lesson.highlight:
            st.caption("Marked: where the trick sits.")
        return
    if shown in lesson.equivalents:
        source = lesson.equivalents[shown].read_text("utf-8")
        st.code(source, language="python", wrap_lines=True)
        return
    st.markdown(
        "One file with the settings of your screen. It needs Python and torch, and prints "
        "these numbers as one JSON object. The address of this page restores the screen."
    )
    file = f"api/lessons/{lesson.slug}/file"
    settings = payload.encoded(lesson.changed(place.values))
    st.html(
        f'<a class="gt-button" data-file="{file}" href="{file}?{html.escape(settings)}" '
        f"download>Download {lesson.slug}.py</a>"
    )
