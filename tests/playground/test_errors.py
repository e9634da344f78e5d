"""What a learner is told: the place, what came, what would be right. One family, no crash."""

import pytest

from lessons.playground import Document, Input, Override, PlaygroundError, run
from lessons.playground.language.lookalikes import explain


def refusal(program: str, **given) -> PlaygroundError:
    inputs = (Input("x", (1.0, 2.0, 3.0)), Input("u", (1.0, 2.0)))
    with pytest.raises(PlaygroundError) as caught:
        run(Document(inputs, program, **given), curves=False)
    return caught.value


@pytest.mark.parametrize(
    ("program", "line", "column", "words"),
    [
        ("y = x**2\nz = sqrt(yy)", 2, 10, "no “yy”. Did you mean y?"),
        ("y = x + velocity", 1, 9, "There are: x, u."),
        ("y = sqr(x)", 1, 5, "no function “sqr”. Did you mean sqrt"),
        ("y = qqqq(x)", 1, 5, "There are: sqrt, square"),
        ("y = x * u", 1, 5, "* has x of shape [3] and u of shape [2]"),
        ("y = maximum(u, x + 1)", 1, 5, "u of shape [2] and x + 1 of shape [3]"),
        ("y = x @ u", 1, 5, "x, of shape [3], must be the first of u, of shape [2]"),
        ("y = x – 1", 1, 7, "“–” (EN DASH, U+2013), not “-”. Write -."),
        ("y = x − 1", 1, 7, "MINUS SIGN"),
        ("y = 2 × x", 1, 7, "Write *."),
        ("y = x ÷ 2", 1, 7, "Write /."),
        ("y = x²", 1, 6, "Write **2."),
        ("y = “x”", 1, 5, "LEFT DOUBLE QUOTATION MARK"),
        ("y = ｘ", 1, 5, "FULLWIDTH LATIN SMALL LETTER X, U+FF58), not “x”. Write x."),
        ("y = х", 1, 5, "CYRILLIC SMALL LETTER HA, U+0445), not the Latin letter x"),
        ("y = x.data", 1, 5, "“.data” reaches into an object"),
        ("y = x.real", 1, 5, "A method is called, as in x.detach()"),
        ("y = torch.sqrt", 1, 5, "as in sqrt(x)"),
        ("y = os.sqrt(x)", 1, 5, "There is no “os”"),
        ("y = torch.os.sqrt(x)", 1, 5, "There is no “torch”"),
        ("y = x.__class__", 1, 7, "underscore"),
        ("y = x.stop()", 1, 5, "There is no function “stop”. Did you mean stop_gradient?"),
        ("y = x..detach()", 1, 6, "A dot stands between"),
        ("y = x" + ".detach()" * 400, 1, 5, "more than 60 ops"),
        ("y = x" + ".a" * 700, 1, 1206, "more than 200 ops"),
        ("y = __import__", 1, 5, "underscore"),
        ("y = [i for i in x]", 1, 8, "A comprehension"),
        ("for i in x: y", 1, 1, "Loops are not"),
        ("y = lambda z: z", 1, 5, "lambda is not"),
        ("import os", 1, 1, "import is not"),
        ("y = 1 if x else 2", 1, 7, "Write where("),
        ("y = x[0]", 1, 5, "Indexing with […]"),
        ("y = f'{x}'", 1, 6, "f-strings"),
        ("y = (z := x)", 1, 8, ":="),
        ("y = sum(*x)", 1, 9, "star"),
        ("y += x", 1, 3, "+= is not"),
        ("y = x ^ 2", 1, 7, "Write **."),
        ("y = x // 2", 1, 7, "Write floor(a / b)."),
        ("y = 2x", 1, 5, "Write 2 * x."),
        ("y = 007", 1, 5, "is not a number"),
        ("y = 1e101 * x", 1, 5, "larger than 1e+100"),
        ("y = " + "1" * 41, 1, 5, "41 characters"),
        ("y = x**65", 1, 8, "exponent 65 is larger than 64"),
        ("y = x**-65", 1, 8, "larger than 64"),
        ("y = 9**9**9", 1, 8, "larger than 64"),
        ("y = 1 / 0", 1, 5, "divides the number by 0"),
        ("y = (0 - 8)**0.5", 1, 5, "no real number"),
        ("y = " + "(" * 25 + "x" + ")" * 25, 1, 29, "more than 24 deep"),
        ("y = " + "-" * 25 + "x", 1, 29, "More than 24 signs"),
        ("y = " + " + ".join("x" * 70), 1, 5, "more than 60 ops"),
        ("\n".join(f"v{i} = x + 1" for i in range(201)), 201, 8, "more than 200 ops"),
        ("y = x" + " " * 4000, 0, 0, "at most 4,000"),
        ("a" * 33 + " = x", 1, 1, "33 characters"),
        ("y = (x", 1, 5, "never closed"),
        ("y = x)", 1, 6, "closes nothing"),
        ("  y = x", 1, 1, "starts with blanks"),
        ("y = x; z = y", 1, 6, "One assignment a line"),
        ("y = x\ny = u", 2, 1, "each name is given once"),
        ("x = u", 1, 1, "is an input"),
        ("sqrt = u", 1, 1, "is a function"),
        ("sqrt(x)", 1, 1, "given to no name"),
        ("y = x +", 1, 8, "cannot be read"),
        ("", 1, 1, "empty"),
        ("y = sqrt(x, u)", 1, 13, "sqrt(x) takes 1 argument"),
        ("y = clamp(x, 0, u)", 1, 17, "must be a number"),
        ("y = clamp(x, low=0, top=1)", 1, 21, "no “top”"),
        ("y = (x > 0) * 2", 1, 6, "where(condition, 1, 0)"),
        ("y = 0 < x < 1", 1, 13, "One comparison at a time"),
        ("y = where(x, 1, 0)", 1, 11, "is a comparison"),
        ("y = straight_through(round, x)", 1, 5, "straight_through(f)(x)"),
        ("y = straight_through(maximum)(x)", 1, 22, "one tensor"),
        ("a, b = unbind(x)\nc = a", 1, 8, "3 outputs, but there are 2 names"),
        ("a, b = x * 2", 1, 8, "only unbind(…) and py_func(…)"),
        ("y = clip_gradient(x, 1, -1)", 1, 5, "low <= high"),
        ("y = sum(x, 1)", 1, 5, "no axis 1"),
        ("y = [1, [2]] + x", 1, 6, "not both"),
        ("y = logsumexp(sum(x))", 1, 5, "needs a list"),
        ("y = logsumexp(x, 0)", 1, 18, "logsumexp(x) takes 1 argument"),
        ("y = straight_through(logsumexp)(2)", 1, 5, "needs a list"),
        ("y = topk(x, 4)", 1, 5, "the 4 largest of 3 entries (shape [3]). Write a k from 1 "
         "to 3."),
        ("y = topk(x, 0)", 1, 13, "k is a whole number that is written out, 1 or more"),
        ("y = topk(x, 1.5)", 1, 13, "k is a whole number"),
        ("y = topk(x, -1)", 1, 13, "k is a whole number"),
        ("y = topk(x, 2 - 1)", 1, 13, "k is a whole number that is written out"),
        ("y = select(x, 1 - 1)", 1, 15, "index is a whole number that is written out"),
        ("y = topk(x, 1e30)", 1, 13, "at most 4,096"),
        ("y = topk(x, u)", 1, 13, "k of topk(x, k) must be a number that is written out"),
        ("n = 2\ny = topk(x, n)", 2, 13, "k is a whole number that is written out"),
        ("y = topk(sum(x), 1)", 1, 5, "topk needs a list"),
        ("v, i = topk(x, 2)", 1, 8, "topk gives one output"),
        ("y = torch.topk(x, 2).values", 1, 5, "Leave it out: topk gives the values alone"),
        ("y = select(x, 3)", 1, 5, "no entry 3 in the shape [3]. Write an index from 0 to 2, or "
         "-1 for the last."),
        ("y = select(x, -4)", 1, 5, "no entry -4 in the shape [3]"),
        ("y = select(x, 0.5)", 1, 15, "index is a whole number that is written out: 0 for the "
         "first entry, -1 for the last"),
        ("y = select(x, [0, 1])", 1, 15, "must be a number that is written out"),
        ("y = x.gather(0)", 1, 5, "One entry is select(x, 0)"),
        ("y = Categorical(x)", 1, 5, "onehot_sample(p, u)"),
        ("y = onehot_sample(sum(x), 0.5)", 1, 5, "onehot_sample needs a list"),
        ("y = onehot_sample(x, [[0.5]])", 1, 5, "p of shape [3] and u of shape [1, 1]. u must be "
         "one number, or a list of them, each of which draws once."),
        ("y = onehot_sample([[1, 2], [3, 4]], x)", 1, 5, "u must be one number, or a list of 2, "
         "one for each row."),
        ("y = [[1, 2], [3]]", 1, 14, "1 numbers, the first has 2"),
        ("w = sum(x)\ny = w @ x", 2, 5, "w is one number. Write * instead"),
        ("w = sum(x)\ny = x @ w", 2, 5, "w is one number. Write * instead"),
        ("y = 3", 0, 0, "has no gradient"),
        ("y = x > 1", 0, 0, "a comparison and has no gradient"),
    ],
)  # fmt: skip
def test_an_error_points_at_its_place_and_says_what_would_be_right(program, line, column, words):
    error = refusal(program)
    assert words in error.message
    assert (error.line, error.column) == (line, column)
    assert str(error).startswith(f"Line {line}, column {column}: ") or not line


@pytest.mark.parametrize(
    ("op_type", "rule", "words"),
    [
        ("Matmul", "grad", "no op type “Matmul”. Did you mean matmul / MatMul"),
        ("mull", "grad", "Did you mean mul / Mul"),
        ("mul", "grad", "gives 1 gradient, and mul has 2 tensor operands"),
        ("mul", "grad, in3", "mul has no in3 here. It has: grad, grad1, in1, in2, out1."),
        ("mul", "sum(grad), None", "Gradient 1 has the shape one number, and in1 has [3]"),
        ("mul", "grad.data, None", "“.data” reaches"),
        ("mul", "grad, nonsense", "no “nonsense”"),
        ("mul", "grad * x, None", "no “x” here. A rule reads grad, which arrives, the operand in1"),
        ("mul", "return grad, None", "A rule is the expression alone, as in -grad"),
        ("mul", "lambda g: -g", "A rule is the expression alone"),
        ("**", "grad", "no op type “**”. The graph shows each op's type."),
        ("mul", "grad – 1, None", "EN DASH"),
        ("mul", "x = 1", "not an assignment"),
        ("mul", "", "not an assignment"),
        ("mul", "grad" * 101, "at most 400"),
    ],
)  # fmt: skip
def test_an_error_in_a_rule_names_the_rule(op_type, rule, words):
    error = refusal("y = x * x", overrides=(Override(op_type, rule),))
    assert words in error.message
    assert error.part == "rule"
    assert error.subject == op_type


def test_where_needs_none_for_its_comparison():
    error = refusal("y = where(x > 0, x, 0)", overrides=(Override("where", "grad, grad"),))
    assert "Write None in place 1" in error.message


def test_two_rules_for_one_op_are_refused_unless_their_lines_differ():
    program = "y = x * x\nz = y * y"
    half, none = "grad * in2, None", "None, None"
    twice = (Override("mul", half, ("y",)), Override("Mul", none))
    assert "two rules" in refusal(program, overrides=twice).message
    apart = (Override("mul", half, ("y",)), Override("Mul", none, ("z",)))
    run(Document((Input("x", (1.0,)),), program, overrides=apart), curves=False)


@pytest.mark.parametrize(
    "character", ["–", "²", "“", "ｘ", "х", "\x00", "\u200b", "\ud800", "é", "☃"]
)
def test_every_strange_character_is_named_with_its_code_point(character):
    assert f"U+{ord(character):04X}" in explain(character)
    assert explain(character).isprintable()


def test_a_comment_may_hold_what_a_program_may_not():
    document = Document((Input("x", 4.0),), "y = sqrt(x)  # √x – “the root”")
    assert run(document, curves=False).values["y"].item() == 2
