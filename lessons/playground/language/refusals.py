"""What the language does not have, by the name a learner knows it by."""

import ast

NOT_A_LINE = {
    "exec": "This cannot be read as an assignment. A line is a name, “=” and an expression, as in "
    "y = x**2.",
    "rule": "This cannot be read as an expression. A rule is one, as in clamp(grad, -0.1, 0.1).",
}

WORDS = {
    "lambda": "lambda is not part of the language. As a name take another, such as lam; in place "
    "of a function write out what it computes.",
    "import": "import is not needed: leave this line out. torch.relu(x) and relu(x) are the same.",
    "from": "import is not needed: leave this line out. torch.relu(x) and relu(x) are the same.",
    "def": "Functions cannot be defined here. Write out what it computes, one assignment a line, "
    "as in y = x * 2. Name what goes into it among the inputs.",
    "return": "return is not needed: the last name is the output. Give it one, as in y = x * 2.",
    "with": "with is not part of the language. For no_grad write stop_gradient(…); a gradient map "
    "is a row of the override table.",
    "if": "if is not part of the language. Write where(condition, a, b).",
    "else": "else is not part of the language. Write where(condition, a, b).",
    "not": "not is not part of the language. Turn the comparison round, or swap where’s branches.",
    "and": "and is not part of the language. Nest two calls of where.",
    "or": "or is not part of the language. Nest two calls of where.",
    "in": "in is not part of the language. A comparison is one of <, <=, >, >=, ==, !=.",
    "is": "is is not part of the language. A comparison is one of <, <=, >, >=, ==, !=.",
    "while": "Loops are not part of the language. Write each step on a line of its own.",
    "class": "Classes are not part of the language: only assignments, as in y = x**2. A gradient "
    "of your own is a rule in the override table, or forward_backward(f, g)(x).",
    **dict.fromkeys(
        ("True", "False"),
        "True and False are not part of the language. As a number write 1 or 0; leave an option "
        "such as keepdim or requires_grad out.",
    ),
    "None": "None stands for no gradient, and only in a rule. To stop a gradient, write "
    "stop_gradient(…).",
    "del": "del is not part of the language. An unused name does no harm.",
}  # fmt: skip
"""What is said of a word of Python's own, where there is more to say than that it is one."""

SIGNS = {
    "%": "% is not part of the language. Write a - b * floor(a / b).",
    "//": "// is not part of the language. Write floor(a / b).",
    "^": "^ is not a power in Python. Write **.",
    "|": "| is not part of the language. A size is abs(…); for “or” nest two calls of where.",
    "&": "& is not part of the language. For “and” nest two calls of where.",
    "~": "~ is not part of the language. Turn the comparison round.",
    ":=": "An assignment within an expression (:=) is not part of the language. Give it a line.",
    "->": "-> is not part of the language.",
    ":": "A colon is not part of the language: no lambda, no dictionary, no slice, no block.",
    ";": "One assignment a line: start a new line instead of “;”.",
    "\\": "A line cannot be carried on with \\. Put brackets around it, or use two names.",
    "{": "Braces are not part of the language: no sets and no dictionaries.",
    "}": "Braces are not part of the language: no sets and no dictionaries.",
    "...": "“...” is not part of the language. Write the expression out.",
    "<<": "<< is not part of the language. Write * 2**n.",
    ">>": ">> is not part of the language. Write / 2**n.",
    "<>": "<> is not part of the language. Write !=.",
    "!": "! is not part of the language. Not equal is !=.",
}
"""What is said of a sign."""

_NAMES: dict[type[ast.AST], str] = {
    ast.Subscript: "Indexing with […]",
    ast.Lambda: "lambda",
    ast.ListComp: "A comprehension",
    ast.SetComp: "A comprehension",
    ast.DictComp: "A comprehension",
    ast.GeneratorExp: "A comprehension",
    ast.IfExp: "if … else",
    ast.BoolOp: "and / or",
    ast.Not: "not",
    ast.Starred: "A star before a name",
    ast.NamedExpr: "An assignment within an expression (:=)",
    ast.JoinedStr: "An f-string",
    ast.Dict: "A dictionary",
    ast.Set: "A set",
    ast.Tuple: "A tuple",
    ast.Slice: "A slice",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.AugAssign: "Changing a name in place",
    ast.AnnAssign: "A type annotation",
    ast.FunctionDef: "def",
    ast.ClassDef: "class",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.For: "for",
    ast.While: "while",
    ast.If: "if",
    ast.With: "with",
    ast.Mod: "%",
    ast.FloorDiv: "//",
    ast.BitXor: "^",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.Invert: "~",
}
_INSTEAD: dict[type[ast.AST], str] = {
    ast.Subscript: " For one entry write select(x, 0); for all of them a, b = unbind(x).",
    ast.Tuple: " Give each part a line of its own; a list of numbers is written [1, 2].",
    ast.Starred: " Write out what it stands for.",
}


def not_in_language(node: ast.AST) -> str:
    """One sentence that refuses a piece of Python by name.

    >>> not_in_language(ast.parse("x % 2").body[0].value.op)
    '% is not part of the language.'
    """
    if isinstance(node, ast.Constant):
        shown = "Text" if isinstance(node.value, (str, bytes)) else str(node.value)
        return f"{shown} is not part of the language: only names, numbers and calls."
    name = _NAMES.get(type(node), type(node).__name__)
    return f"{name} is not part of the language.{_INSTEAD.get(type(node), '')}"
