"""What chapter 2's texts on the map itself claim, in numbers: TensorFlow's for what it does."""

import ast
import re

import pytest

from lessons.contract.prose import fill
from lessons.outputs.catalogue import find, lessons
from tests.engine.reference import CASES
from tests.lessons.test_every_lesson import texts


def answer(slug, name):
    """The right answer to a question, and all its facts, at its own step."""
    lesson = find(slug)
    step = next(one for one in lesson.prose.steps if one.question and one.question.name == name)
    result = lesson.compute(lesson.validate(step.lab))
    return lesson.right(step.question, result), result.facts


@pytest.mark.parametrize(
    ("slug", "key", "expected"),
    [
        ("clip_identity", "sum_clipped", {"hook_came": 5, "hook_each": 0, "hook_unclipped": 50}),
        ("upstream_not_true", "exp_lost", {"exp_came": 0.3, "exp_tenth": 0.3 * 7.38905609893065}),
        ("type_not_name", "by_type", {"words_came": 5, "words_by_name": 11, "words_plain": 7}),
        ("silent_key", "usual", {"frozen_names": "weight, bias"}),
        ("scope", "first", {"block_came": 6, "block_both": 11}),
    ],
)
def test_the_new_place_is_computed(slug, key, expected):
    right, facts = answer(slug, "transfer")
    assert right == key
    assert {name: facts[name] for name in expected} == pytest.approx(expected)


def test_a_library_call_hides_its_products_in_torch_and_shows_them_in_tensorflow():
    facts = find("scope").compute(find("scope").validate({})).facts
    assert facts["unit_came"] == facts["unit_plain"] == pytest.approx(16 / 125)
    assert facts["unit_hidden"] == CASES["c_hidden_ops"]["gradients"]["d_l2_normalize"][0]


def test_the_scope_of_a_map_in_tensorflow_is_as_the_text_says():
    """More than the text once said (a variable's own identity), and less (control flow)."""
    made_inside = CASES["s1_half_var_inside"]["gradients"]
    assert made_inside["ref_variable"] == [made_inside["resource_variable"][0] / 2]
    loop = CASES["c_while_loop"]["gradients"]
    inside_the_branch = loop["v2_cond_outside_two_identities"] / loop["v2_cond_outside"]
    assert inside_the_branch == 1  # a second identity there has no rule
    text = whole(find("scope"))
    assert "`w/read`" in text
    assert "`tf.cond`" in text
    assert not re.search("a map sees them all|nothing else is of its type", text)


def test_no_text_before_the_question_of_nested_maps_gives_its_answer():
    lesson = find("scope")
    place = [s.question.name if s.question else "" for s in lesson.prose.steps].index("nested")
    before = " ".join([lesson.summary, *(s.text for s in lesson.prose.steps[: place + 1])])
    assert not re.search(r"inner map (wins|takes)|its own gradient|\{\{ restored", before)
    assert lesson.prose.steps[place].lab["place"] == "map"


def test_a_rule_without_the_local_derivative_is_right_where_straight_through_is_wanted():
    """The texts agree: silent_key's Sign and clip_identity's clamp are such rules."""
    when = next(s.text for s in find("upstream_not_true").prose.steps if s.title.startswith("When"))
    assert "straight-through" in when
    assert find("silent_key").compute(find("silent_key").validate({}))["trick_gradient"].y.any()
    assert find("clip_identity").bug.right() == "passes"


def test_what_the_issues_and_the_article_say_is_not_said_otherwise():
    assert "`SparseMatMul`" in whole(find("silent_key"))  # the call of tensorflow#8608
    assert "default true gradient in current TensorFlow" in whole(find("upstream_not_true"))
    lower = next(s for s in find("silent_key").prose.steps if s.question)
    assert "This course accepts that key" in lower.text


def test_the_files_in_plain_torch_share_one_map():
    maps = set()
    for lesson in lessons():
        path = lesson.folder / "in_torch.py"
        if lesson.chapter == "override_map" and not lesson.lab.training:
            maps |= {
                (
                    node.name,
                    *(ast.unparse(part) for part in node.body if not isinstance(part, ast.Expr)),
                )
                for node in ast.parse(path.read_text("utf-8")).body
                if getattr(node, "name", "") in ("Overridden", "gradient_override_map", "identity")
            }
    assert sorted(name for name, *_ in maps) == ["Overridden", "gradient_override_map", "identity"]


def whole(lesson):
    """All that a lesson says, at its defaults."""
    facts = lesson.compute(lesson.validate({})).facts
    return " ".join(fill(text, facts) for step in lesson.prose.steps for text in texts(step))
