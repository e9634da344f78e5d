"""One learner walks through a chapter, answers every question wrong first, leaves on the way and
comes back.
"""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons.contract.lesson import Lesson
from lessons.outputs.catalogue import chapters_by_slug
from lessons.outputs.quiz import LENGTH
from lessons.outputs.search import plain
from lessons.prose.steps import Question
from pages.ui.words import WORDS
from tests.browser.looking import commit, is_at_step, ran, says, tiles
from tests.conftest import OpenPage
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.long]


def words(page: Page) -> Locator:
    return page.locator(".st-key-words")


def arrive(page: Page, lesson: Lesson, number: int) -> None:
    """The step is there, with its title; nobody reads faster than the page runs."""
    steps = lesson.prose.steps
    expect(page.locator("h1")).to_have_text(re.sub(r"[`*]", "", lesson.title))
    is_at_step(page, number)
    expect(words(page).locator("h2")).to_contain_text(plain(steps[number - 1].title)[:20])


def answer_wrong(page: Page, lesson: Lesson, question: Question) -> None:
    """Give a wrong answer and be told what is so; a bug is tried until a fix passes."""
    right = lesson.answer(question)
    keys = [option.key for option in question.options]
    wrong = next(key for key in keys if key != right)
    if question.kind == "bug":
        stage = page.locator(".st-key-stage")
        for key, said in ((wrong, WORDS("assertion_fails")), (right, WORDS("assertion_holds"))):
            left = [one for one in keys if key == wrong or one != wrong]
            commit(page, left.index(key))
            expect(stage).to_contain_text(said.replace("*", ""))
        return
    if question.kind == "sketch":
        page.locator(".gt-knob").first.press("End")
        page.get_by_role("button", name=says("commit_sketch")).click()
    elif question.kind == "number":
        page.get_by_label(WORDS("your_answer")).fill("-987654")
        page.get_by_role("button", name=WORDS("answer"), exact=True).click()
    else:
        tiles(page).nth(keys.index(wrong)).click()
    expect(page.locator(".st-key-reply_wrong")).to_be_visible()
    ran(page)


@pytest.mark.parametrize("slug", ["in_the_wild", "gone_missing", "clipping"])
def test_a_learner_walks_a_chapter(slug: str, app: Server, open_page: OpenPage) -> None:
    chapter = chapters_by_slug()[slug]
    lessons = chapter.lessons
    page = open_page(f"{app.url}/{slug}?lesson={lessons[0].slug}")
    for lesson in lessons:
        for number, step in enumerate(lesson.prose.steps, start=1):
            arrive(page, lesson, number)
            if step.question:
                answer_wrong(page, lesson, step.question)
            if lesson is lessons[0] and number == 3:
                page.wait_for_function(f"document.cookie.includes('{lesson.slug}:3')")
                page.goto(f"{app.url}/{slug}?lesson={lesson.slug}")  # a new session
                is_at_step(page, number)
            if number < len(lesson.prose.steps):
                on = page.locator(".st-key-next button")
                expect(on).to_have_count(1)  # while the page is drawn, the old one may be there too
                on.click()
        end = page.locator(".st-key-end")
        if lesson.lab.training is None:  # else there is a picture where the learner has trained
            expect(end.locator(".gl-lab, svg").first).to_be_visible()
        expect(end).to_contain_text(WORDS("you", answer=""))
        expect(end.locator("strong").first).to_have_text(plain(lesson.prose.front["remember"]))
        bar = page.locator(".st-key-turn")
        if lesson is not lessons[-1]:
            bar.locator(".st-key-onward a").click()
    if slug == "in_the_wild":  # the last chapter
        expect(bar).to_contain_text("Try your own program")
    bar.get_by_role("link", name=WORDS("chapters_quiz", n=LENGTH)).click()
    expect(page.locator("h1")).to_have_text(WORDS("quiz_of", chapter=chapter.title))
    expect(page).to_have_url(re.compile(r"\?quiz=\d+$"))
    answers = words(page).locator(".stButton button")
    answers.first.click()  # an answer, or a way to do the task
    expect(page.locator("[class*=st-key-reply_]")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?quiz=\d+&said=0&at=0$"))
    page.reload()
    expect(page.locator("[class*=st-key-reply_]")).to_be_visible()
    page.go_back()
    expect(page.locator("[class*=st-key-reply_]")).to_have_count(0)
    expect(answers.first).to_be_visible()
