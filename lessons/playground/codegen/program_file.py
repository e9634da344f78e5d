"""Writes a document as a file that needs torch alone.

The file computes the learner's own points with this draw of the noise and prints one JSON object:
the forward value and the gradient with respect to every input.
"""

import ast
from collections.abc import Iterator

from lessons.playground.codegen.emit import Emitter, python_name
from lessons.playground.codegen.helpers import HELPERS
from lessons.playground.codegen.words import WORDS
from lessons.playground.document.check import Checked, check
from lessons.playground.document.contents import Document
from lessons.playground.document.input_text import format_noise
from lessons.playground.document.override_rules import Row
from lessons.playground.language.expressions import Assignment, Node, kind_of, walk
from lessons.playground.running.execute import blocks

_IMPORTS = "import json\n\nimport torch\n\n\n"
_RUN = """\
output = program(*inputs.values())
gradients = [None] * len(inputs)
if output.requires_grad:
    gradients = torch.autograd.grad(output.sum(), list(inputs.values()), allow_unused=True)
found = {
    "forward": output.tolist(),
    "trick_gradient": {
        name: None if gradient is None else gradient.tolist()
        for name, gradient in zip(inputs, gradients)
    },
}
print(json.dumps(found))
"""

_FAR_DOWN = 40
"""The line from which on the file's head says where the learner's own code begins."""
_HEAD_LINES = 5
"""How many lines such a head has."""


def code(document: Document) -> str:
    """Write the whole file, with the tricks that the program uses in a few lines each.

    Raises:
        PlaygroundError: the document is not valid.
    """
    checked = check(document)
    own = "\n\n".join([*_rules(checked), _program(checked, with_map=False), _foot(checked)])
    called, helpers = _names(own), ""
    for name, source in reversed(HELPERS.items()):
        if name in called:
            called |= _names(source)
            helpers = f"{source}\n\n{helpers}"
    head, above = _title(document), _IMPORTS + helpers
    line = _HEAD_LINES + above.count("\n") + 1
    if line >= _FAR_DOWN:
        head += f"\n\n{WORDS('own_code', line=line)}\n"
    return f'"""{head}"""\n\n{above}{own}'


def program_code(checked: Checked) -> str:
    """Write the function ``program`` and its rules alone, as a code pane shows them.

    Here the engine's ``gradient_override_map`` binds the rules. A whole file has no engine: it
    writes each op with a rule as ``overridden(op, rule)(…)``.
    """
    return "\n\n".join([*_rules(checked), _program(checked, with_map=True)])


def places(checked: Checked) -> Iterator[tuple[Node, int, int, int]]:
    """Where each expression of a program stands in what ``program_code`` writes.

    Yields:
        The expression, its line, where it starts there and where it ends; where that cannot be told
        from its text, all that the line computes.
    """
    lines = program_code(checked).removesuffix("\n").split("\n")
    head = next(row for row, line in enumerate(lines) if line.startswith("def program("))
    rows = (
        row
        for row in range(head + 1, len(lines) - 1)  # the last one returns
        if not lines[row].lstrip().startswith("with ")
    )
    for row, line in zip(rows, checked.program.assignments, strict=True):
        text = lines[row]
        whole = text.index(" = ") + 3
        made = [Emitter().text(node) for node in line.nodes]
        for place, (node, own) in enumerate(zip(line.nodes, made, strict=True)):
            # What is written twice is computed from left to right.
            if text.count(own, whole) != made.count(own):
                yield node, row, whole, len(text)
                continue
            start = whole - 1
            for _ in range(made[: place + 1].count(own)):
                start = text.index(own, start + 1)
            yield node, row, start, start + len(own)


def defined_in_the_file(program: str) -> list[str]:
    """The functions that ``program_code``'s text calls and a whole file defines itself."""
    called = _names(program)
    return [name for name in HELPERS if name in called]


def _program(checked: Checked, with_map: bool) -> str:
    """The function ``program``."""
    lines = [f"def program({', '.join(map(python_name, checked.inputs))}):"]
    for rows, assignments in blocks(checked.program.assignments, checked.rows):
        bound = {op: f"rule_{checked.rows.index(row) + 1}" for op, row in rows.items()}
        indent = "    "
        if bound and with_map:
            entries = ", ".join(f'"{op}": {rule}' for op, rule in bound.items())
            lines.append(f"{indent}with gradient_override_map({{{entries}}}):")
            indent += "    "
        emitter = Emitter({} if with_map else bound)
        lines += [indent + _assignment(line, emitter) for line in assignments]
    return "\n".join([*lines, f"    return {python_name(checked.output)}\n"])


def _assignment(line: Assignment, emitter: Emitter) -> str:
    names = ", ".join(map(python_name, line.names))
    return f"{names} = {emitter.text(line.value, floats=kind_of(line.value) == 'number')}"


def _rules(checked: Checked) -> list[str]:
    """A function for each rule that some op of the program meets."""
    groups = blocks(checked.program.assignments, checked.rows)
    active = {row for rows, _ in groups for row in rows.values()}
    return [
        _rule(row, f"rule_{place}")
        for place, row in enumerate(checked.rows, start=1)
        if row in active
    ]


def _rule(row: Row, name: str) -> str:
    used = {n.id for node in row.rule.gradients for n in walk(node) if isinstance(n, ast.Name)}
    lines = [f"def {name}(op, *upstream):"]
    sources = {"grad": "upstream", "in": "op.inputs", "out": "op.outputs"}
    for word in sorted(used):
        source = sources[word.rstrip("0123456789")]
        lines.append(f"    {word} = {source}[{int(word.lstrip('gradinout') or 1) - 1}]")
    results = []
    for place, node in enumerate(row.rule.gradients):
        text = Emitter().text(node)
        if kind_of(node) == "number":
            text = f"torch.ones_like(op.inputs[{place}]) * ({text})"
        results.append(text)
    result = results[0] if len(results) == 1 else f"({', '.join(results)})"
    return "\n".join([*lines, f"    return {result}\n"])


def _foot(checked: Checked) -> str:
    """The lines that set the number format, give the inputs and run ``program``."""
    lines = [f"torch.set_default_dtype(torch.{checked.document.dtype})", "inputs = {"]
    for input_ in checked.document.inputs:
        value = checked.inputs[input_.name].tolist()
        line = f'    "{input_.name}": torch.tensor({value}, requires_grad=True),'
        if input_.noise:
            line += f"  # {format_noise(input_.noise)}: " + WORDS("this_draw")
        lines.append(line)
    return "\n".join([*lines, "}", _RUN])


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def _title(document: Document) -> str:
    title = " ".join(document.title.replace("\\", " ").replace('"', "'").split())
    title = title or WORDS("no_title")
    return title if title[-1] in ".?!" else f"{title}."
