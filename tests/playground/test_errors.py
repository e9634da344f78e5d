"""What a learner is told: the place, what came, what would be right. One family, no crash."""

import keyword
from typing import Any

import pytest

from lessons.playground.document.check import check
from lessons.playground.document.contents import Document, Input, Override
from lessons.playground.language.functions import CALLABLE
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.refusals import OF_KEYWORDS
from lessons.playground.language.spellings import INSTEAD
from lessons.playground.language.words import WORDS
from lessons.playground.running.outcome import run
from tests.playground.said import said

LOOKALIKES = (
    "х", "ｘ", "𝑥", "µ", "λ", "é", "ﬁ", "ª", "x²", "x́", "x\u200b", "tоrch", "ſum",
    "_", "__", "_x", "_torch", "__name__", "__debug__", "__class__", "__builtins__", "__file__",
)  # fmt: skip
"""What the language has no way to write: other alphabets, and an underscore in front."""


def refusal(program: str, **given: Any) -> PlaygroundError:
    inputs = (Input("x", (1.0, 2.0, 3.0)), Input("u", (1.0, 2.0)))
    with pytest.raises(PlaygroundError) as caught:
        run(Document(inputs, program, **given), curves=False)
    return caught.value


@pytest.mark.parametrize(
    ("program", "line", "column", "words"),
    [
        ("y = x**2\nz = sqrt(yy)", 2, 10, said("no_name did_you_mean", "“yy”", "y")),
        ("y = x + velocity", 1, 9, said("no_name_nor_input there_are", "x, u")),
        ("y = sqr(x)", 1, 5, said("no_function did_you_mean_or", "“sqr”", "sqrt")),
        ("y = qqqq(x)", 1, 5, said("no_function there_are", "sqrt, square")),
        ("y = x * u", 1, 5, said("shapes_clash", "*", "x: [3], u: [2]")),
        ("y = maximum(u, x + 1)", 1, 5, said("shapes_clash", "u: [2], x + 1: [3]")),
        ("y = x @ u", 1, 5, said("matmul_clash", "x", "[3]", "u", "[2]")),
        ("y = x – 1", 1, 7, said("write_instead", "(EN DASH, U+2013)", "-")),
        ("y = x²", 1, 6, said("write_instead", "**2")),
        ("y = “x”", 1, 5, said("no_quotes", "LEFT DOUBLE QUOTATION MARK")),
        ("y = ｘ", 1, 5, said("write_instead", "FULLWIDTH LATIN SMALL LETTER X, U+FF58", "x")),
        ("y = х", 1, 5, said("latin_letter", "CYRILLIC SMALL LETTER HA, U+0445", "x")),
        ("y = x.data", 1, 5, said("attribute", "data", INSTEAD["data"])),
        ("y = x.real", 1, 5, said("attribute call_a_method")),
        ("y = torch.sqrt", 1, 5, said("attribute in_brackets", "sqrt")),
        ("y = os.sqrt(x)", 1, 5, said("no_name_nor_input there_are", "“os”")),
        ("y = x.__class__", 1, 7, said("underscore")),
        ("y = x.stop()", 1, 5, said("no_function", "“stop”", INSTEAD["stop"])),
        ("y = x..detach()", 1, 6, said("lone_dot")),
        ("y = x" + ".detach()" * 400, 1, 5, said("long_chain", "60")),
        ("y = x" + ".a" * 700, 1, 1206, said("too_many_ops", "200")),
        ("y = __import__", 1, 5, said("underscore")),
        ("y = [i for i in x]", 1, 8, said("no_comprehension")),
        ("for i in x: y", 1, 1, OF_KEYWORDS["for"]),
        ("y = lambda z: z", 1, 5, OF_KEYWORDS["lambda"]),
        ("import os", 1, 1, OF_KEYWORDS["import"]),
        ("y = 1 if x else 2", 1, 7, OF_KEYWORDS["if"]),
        ("y = x[0]", 1, 5, said("no_index")),
        ("y = f'{x}'", 1, 6, said("no_f_string")),
        ("y = (z := x)", 1, 8, said("no_walrus")),
        ("y = sum(*x)", 1, 9, said("star")),
        ("y += x", 1, 3, said("no_in_place_sign", "+=", "y + 1")),
        ("y = x ^ 2", 1, 7, said("no_xor")),
        ("y = x // 2", 1, 7, said("no_floor_division")),
        ("y = 2x", 1, 5, said("sign_missing", "2", "x")),
        ("y = 007", 1, 5, said("not_a_number")),
        ("y = 1e101 * x", 1, 5, said("large_number", "1e+100")),
        ("y = " + "1" * 41, 1, 5, said("long_number", "41")),
        ("y = x**65", 1, 8, said("large_exponent", "65", "64")),
        ("y = 9**9**9", 1, 8, said("large_exponent", "64")),
        ("y = 1 / 0", 1, 5, said("divides_by_zero")),
        ("y = (0 - 8)**0.5", 1, 5, said("not_real")),
        ("y = " + "(" * 25 + "x" + ")" * 25, 1, 29, said("deep_brackets", "24")),
        ("y = " + "-" * 25 + "x", 1, 29, said("many_signs", "24")),
        ("y = " + " + ".join("x" * 70), 1, 5, said("long_chain", "60")),
        ("\n".join(f"v{i} = x + 1" for i in range(201)), 201, 8, said("too_many_ops", "200")),
        ("y = x" + " " * 6000, 0, 0, said("long_text", "6,000")),
        ("a" * 33 + " = x", 1, 1, said("long_name", "33")),
        ("y = (x", 1, 5, said("never_closed")),
        ("y = x)", 1, 6, said("closes_nothing")),
        ("  y = x", 1, 1, said("indented")),
        ("y = x; z = y", 1, 6, said("no_semicolon")),
        ("y = x\ny = u", 2, 1, said("name_above")),
        ("x = u", 1, 1, said("name_of_an_input")),
        ("sqrt = u", 1, 1, said("name_of_a_function")),
        ("sqrt(x)", 1, 1, said("given_to_no_name")),
        ("y = x +", 1, 8, said("no_line")),
        ("", 1, 1, said("empty_program")),
        ("y = sqrt(x, u)", 1, 13, said("takes", "sqrt(x)", "1")),
        ("y = clamp(x, 0, u)", 1, 17, said("clamp_needs_number")),
        ("y = clamp(x, low=0, top=1)", 1, 21, said("no_parameter", "“top”")),
        ("y = (x > 0) * 2", 1, 6, said("comparison_as_operand")),
        ("y = 0 < x < 1", 1, 13, said("two_comparisons")),
        ("y = where(x, 1, 0)", 1, 11, said("needs_comparison")),
        ("y = straight_through(round, x)", 1, 5, said("operand_missing", "straight_through(f)(x)")),
        ("y = straight_through(maximum)(x)", 1, 22, said("not_elementary")),
        ("a, b = unbind(x)\nc = a", 1, 8, said("other_outputs", "3", "2")),
        ("a, b = x * 2", 1, 8, said("several_names")),
        ("y = clip_gradient(x, 1, -1)", 1, 5, said("torch_refuses", "low <= high")),
        ("y = sum(x, 1)", 1, 5, said("no_axis", "1")),
        ("y = [1, [2]] + x", 1, 6, said("mixed_list")),
        ("y = logsumexp(sum(x))", 1, 5, said("needs_list")),
        ("y = logsumexp(x, 0)", 1, 18, said("takes_last_axis", "logsumexp(x)")),
        ("y = topk(x, 4)", 1, 5, said("large_k", "4", "3", "[3]")),
        ("y = select(x, 1 / 2)", 1, 15, said("whole_index")),
        ("y = topk(x, 1e30)", 1, 13, said("whole_k", "4,096")),
        ("y = topk(x, u)", 1, 13, said("needs_number", "k", "topk(x, k)")),
        ("n = 2\ny = topk(x, n)", 2, 13, said("whole_k")),
        ("y = topk(sum(x), 1)", 1, 5, said("needs_list", "topk")),
        ("v, i = topk(x, 2)", 1, 8, said("one_output", "topk")),
        ("y = x.values", 1, 5, said("attribute", "values", INSTEAD["values"])),
        ("y = torch.select(x, 0, 1)", 1, 21, said("takes_last_axis", "select(x, index)")),
        ("y = py_func(lambda a: a * 2, x)", 1, 5, said("py_func_lambda")),
        ("y = select(x, 3)", 1, 5, said("no_index", "3", "[3]", "2")),
        ("y = select(x, [0, 1])", 1, 15, said("needs_number")),
        ("y = onehot_sample(sum(x), 0.5)", 1, 5, said("needs_list", "onehot_sample")),
        ("y = onehot_sample(x, [[0.5]])", 1, 5, said("sample_of_list", "[3]", "[1, 1]")),
        ("y = onehot_sample([[1, 2], [3, 4]], x)", 1, 5, said("sample_of_rows", "2")),
        ("y = [[1, 2], [3]]", 1, 14, said("ragged", "1", "2")),
        ("w = sum(x)\ny = w @ x", 2, 5, said("matmul_of_name", "w")),
        ("y = 3", 0, 0, said("no_gradient")),
    ],
)  # fmt: skip
def test_an_error_points_at_its_place_and_says_what_would_be_right(
    program: str, line: int, column: int, words: str | said
) -> None:
    error = refusal(program)
    assert words == error.message
    assert (error.line, error.column) == (line, column)
    placed = WORDS("at_place", line=line, column=column, said=error.message)
    assert str(error) == (placed if line else error.message)


@pytest.mark.parametrize(
    ("op_type", "rule", "words"),
    [
        ("Matmul", "grad", said("no_op_type_near", "“Matmul”", "matmul / MatMul")),
        ("mull", "grad", said("no_op_type_near", "mul / Mul")),
        ("mul", "grad", said("gradients_of_rule", "1", "mul", "2")),
        ("mul", "grad, in3", said("not_of_this_op", "mul", "in3", "grad, grad1, in1, in2, out1")),
        ("mul", "sum(grad), None", said("shape_of_gradient one_number", "1", "[3]")),
        ("mul", "grad.data, None", said("attribute", "data", INSTEAD["data"])),
        ("mul", "grad, nonsense", said("no_name_in_rule", "“nonsense”")),
        ("mul", "grad * x, None", said("no_name_in_rule", "“x”")),
        ("mul", "return grad, None", said("rule_alone")),
        ("mul", "lambda g: -g", said("rule_alone")),
        ("**", "grad", said("no_op_type", "“**”")),
        ("mul", "grad – 1, None", said("write_instead", "EN DASH")),
        ("mul", "x = 1", said("rule_assigns")),
        ("mul", "", said("empty_rule")),
        ("mul", "grad" * 101, said("long_text", "400")),
        ("where", "grad, grad", said("gradient_of_comparison", "in1", "where")),
    ],
)  # fmt: skip
def test_an_error_in_a_rule_names_the_rule(op_type: str, rule: str, words: said) -> None:
    error = refusal("y = where(x > 0, x * x, 0)", overrides=(Override(op_type, rule),))
    assert words == error.message
    assert error.part == "rule"
    assert error.subject == op_type


def test_two_rules_for_one_op_are_refused_unless_their_lines_differ() -> None:
    program = "y = x * x\nz = y * y"
    half, none = "grad * in2, None", "None, None"
    twice = (Override("mul", half, ("y",)), Override("Mul", none))
    assert said("two_rules", "mul") == refusal(program, overrides=twice).message
    apart = (Override("mul", half, ("y",)), Override("Mul", none, ("z",)))
    run(Document((Input("x", (1.0,)),), program, overrides=apart), curves=False)


@pytest.mark.parametrize("word", [*keyword.kwlist, *CALLABLE, *LOOKALIKES])
def test_what_cannot_be_a_name_is_refused_where_it_is_typed(word: str) -> None:
    with pytest.raises(PlaygroundError) as refused:
        check(Document((Input(word, 1.0),), "y = sin(1)"))
    assert refused.value.part == "input"
    with pytest.raises(PlaygroundError) as refused:
        check(Document((Input("start", 1.0),), f"{word} = start * 2\nlast_one = start * 3"))
    assert refused.value.line == 1
    assert refused.value.message
