"""A quiz has five questions, each with one right answer, which the lesson's plain torch prints."""

import json

import pytest

from lessons.outputs.catalogue import chapters
from lessons.outputs.plain_torch import plain_torch
from lessons.outputs.quiz import LENGTH, quiz
from lessons.text import number
from tests.support.amount import cases

CHAPTERS = pytest.mark.parametrize("chapter", chapters(), ids=lambda one: one.slug)
SEEDS = cases(6, 40)


@pytest.mark.random
@CHAPTERS
def test_any_seed_makes_five_questions_with_answers_that_differ(chapter):
    """One right answer each: no other equals it, as a number or as it reads."""
    seen = set()
    for seed in range(SEEDS):
        items = quiz(chapter.slug, seed)
        assert len(items) == LENGTH == len({item.given for item in items})
        for item in items:
            assert item.lesson in chapter.lessons
            result = item.lesson.compute(item.lesson.validate(item.settings))
            texts = [one.text for one in item.answers]
            assert 3 <= len(texts) == len(set(texts)) <= 4
            assert texts[item.right] == number(float(result[item.role].y[0]), 4)
            values = [float(text.replace("−", "-")) for text in texts]
            assert values == sorted(values)
            assert item.given[0].startswith(("x = ", "w = "))
            compile(item.code, "quiz", "exec")
            seen.add((item.lesson.slug, item.role))
        assert items == quiz.__wrapped__(chapter.slug, seed), "the address brings the same numbers"
    assert {role for _, role in seen} == {"trick_gradient", "true_gradient", "forward"}
    assert quiz(chapter.slug, 1) != quiz(chapter.slug, 2)


@pytest.mark.random
@CHAPTERS
def test_plain_torch_gives_the_right_answer_too(chapter, tmp_path, alone):
    """Without our tricks or our lab: the file that one takes home, at the question's settings."""
    items = [
        item
        for seed in range(cases(2, 4))
        for item in quiz(chapter.slug, seed)
        if item.role != "true_gradient"
    ]
    files = [tmp_path / f"item_{place}.py" for place in range(len(items))]
    for file, item in zip(files, items, strict=True):
        file.write_text(plain_torch(item.lesson, item.lesson.validate(item.settings)), "utf-8")
    for item, text in zip(items, alone.run(tmp_path, [[str(one)] for one in files]), strict=True):
        printed = float(json.loads(text)[item.role][0])
        assert item.answers[item.right].text == number(printed, 4)
