"""What the language does not have, by the name a learner knows it by."""

import ast
import re

GENERATED = re.compile(
    r"torch|tf|jax|jnp|json|print|program|list|tuple|float|overridden|rule_\d+|tape"
    r"|gradient_override_map|numpy|np"
)
"""Names that the generated code uses for itself."""

NOT_A_LINE = {
    "exec": "This cannot be read as an assignment. A line is a name, “=” and an expression, as in "
    "y = x**2.",
    "rule": "This cannot be read as an expression. A rule is one, as in clamp(grad, -0.1, 0.1).",
}

_NAMES: dict[type[ast.AST], str] = {
    ast.Attribute: "Reaching into an object with a dot",
    ast.Subscript: "Indexing with […]",
    ast.Lambda: "lambda",
    ast.ListComp: "A comprehension",
    ast.SetComp: "A comprehension",
    ast.DictComp: "A comprehension",
    ast.GeneratorExp: "A comprehension",
    ast.IfExp: "if … else",
    ast.BoolOp: "and / or",
    ast.Not: "not",
    ast.Starred: "A star in front of a name",
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
    ast.Subscript: " To take a vector apart, write a, b = unbind(x).",
    ast.Tuple: " A list of numbers is written [1, 2].",
    ast.Starred: " Write out what it stands for.",
}


def not_in_language(node: ast.AST) -> str:
    """One sentence that refuses a piece of Python by name.

    >>> not_in_language(ast.parse("x[0]").body[0].value)
    'Indexing with […] is not part of the language. To take a vector apart, write a, b = unbind(x).'
    """
    if isinstance(node, ast.Constant):
        shown = "Text" if isinstance(node.value, (str, bytes)) else str(node.value)
        return f"{shown} is not part of the language: only names, numbers and calls."
    name = _NAMES.get(type(node), type(node).__name__)
    return f"{name} is not part of the language.{_INSTEAD.get(type(node), '')}"
