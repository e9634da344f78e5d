"""A document as a file that runs in torch, TensorFlow 2 or JAX and imports nothing of ours.

Each file computes the learner's own points with this draw of the noise and prints one JSON object:
the forward value and the gradient with respect to every input.
"""

import ast
import symtable
from collections.abc import Iterator, Mapping

from lessons.playground.codegen.emit import Emitter
from lessons.playground.codegen.frameworks import FRAMEWORKS, IN_A_FILE, Framework
from lessons.playground.codegen.words import WORDS
from lessons.playground.document.check import Checked, check
from lessons.playground.document.contents import Document
from lessons.playground.document.input_text import format_noise
from lessons.playground.document.override_rules import Row
from lessons.playground.language.expressions import Assignment, Node, kind_of, walk
from lessons.playground.running.execute import blocks


def code(document: Document, framework: str = "torch") -> str:
    """The document as source text, with the tricks that it uses in a few lines each.

    Args:
        framework: "torch", "tensorflow" or "jax".

    Raises:
        PlaygroundError: the document is not valid.
    """
    chosen = IN_A_FILE[framework].computing_in(document.dtype)
    checked = check(document)
    parts = [*_rules(checked, chosen), _program(checked, chosen), _foot(checked, chosen)]
    body = "\n\n\n".join(part.strip("\n") for part in parts)
    used = _helpers(body, chosen)
    text = "\n\n\n".join([*(chosen.helpers[name].strip("\n") for name in used), body])
    head = f'"""{_title(document, chosen)}"""\n\n'
    rest = f"{chosen.imports}\n\n{text}\n"
    return _with_place(head, rest, body) if framework == "torch" else head + rest


def _with_place(head: str, rest: str, body: str) -> str:
    """The whole file; its head says where the learner's own code begins, if that is far down."""
    line = rest[: rest.rindex(body)].count("\n") + _HEAD_LINES + 1
    if line < _FAR_DOWN:
        return head + rest
    about = WORDS("own_code", line=line)
    return head.replace('"""\n\n', f'\n\n{about}\n"""\n\n') + rest


_HEAD_LINES = 5
"""What the head has with a second paragraph."""
_FAR_DOWN = 40


def program_code(checked: Checked, framework: str = "torch") -> str:
    """Only the function ``program``: what a code pane shows."""
    chosen = FRAMEWORKS[framework].computing_in(checked.document.dtype)
    return "\n\n\n".join([*_rules(checked, chosen), _program(checked, chosen)]) + "\n"


def places(checked: Checked) -> Iterator[tuple[Node, int, int, int]]:
    """Where each expression of a program stands in what ``program_code`` writes in torch.

    Yields:
        The expression, its line, where it starts there and where it ends; where that cannot be told
        from its text, all that the line computes.
    """
    framework = FRAMEWORKS["torch"].computing_in(checked.document.dtype)
    lines = program_code(checked).removesuffix("\n").split("\n")
    head = next(row for row, line in enumerate(lines) if line.startswith("def program("))
    rows = (
        row
        for row in range(head + 1, len(lines) - 1)  # the last one returns
        if not lines[row].lstrip().startswith("with ")
    )
    emitter = Emitter(framework, {}, _names(checked, framework))
    for row, line in zip(rows, checked.program.assignments, strict=True):
        text = lines[row]
        whole = text.index(" = ") + 3
        made = [ast.unparse(ast.fix_missing_locations(emitter.expression(n))) for n in line.nodes]
        for place, (node, own) in enumerate(zip(line.nodes, made, strict=True)):
            # What is written twice is computed from left to right.
            if text.count(own, whole) != made.count(own):
                yield node, row, whole, len(text)
                continue
            start = whole - 1
            for _ in range(made[: place + 1].count(own)):
                start = text.index(own, start + 1)
            yield node, row, start, start + len(own)


def defined_in_the_file(program: str, framework: str) -> list[str]:
    """The functions that ``program_code``'s text calls and a whole file defines itself."""
    called = names_read(program)
    return [name for name in IN_A_FILE[framework].helpers if name in called]


def _program(checked: Checked, framework: Framework) -> str:
    """The function ``program``."""
    return _function(checked, framework, _names(checked, framework))


def _names(checked: Checked, framework: Framework) -> dict[str, str]:
    """How the learner's names are written: in the function alone they are Python's names too.

    Where it reads a name of the file's own, as ``torch`` or ``rule_1``, a learner's name like it
    gets a _ behind it, as Python's own style has it.
    """
    names = [*checked.inputs, *checked.program.names]
    # No learner's name starts with a _: whatever does not, is the file's own.
    apart = _function(checked, framework, {name: f"_{name}" for name in names})
    own = {node.id for node in ast.walk(ast.parse(apart)) if isinstance(node, ast.Name)}
    written = dict(zip(names, names, strict=True))
    for name in names:
        while written[name] in own or (written[name] != name and written[name] in written):
            written[name] += "_"
        own.add(written[name])
    return written


def _function(checked: Checked, framework: Framework, names: Mapping[str, str]) -> str:
    given = ", ".join(names[name] for name in checked.inputs)
    lines = [f"def program({given}):"]
    for rows, assignments in blocks(checked.program.assignments, checked.rows):
        bound = {op: f"rule_{checked.rows.index(row) + 1}" for op, row in rows.items()}
        indent = "    "
        if bound and framework.maps:
            entries = ", ".join(f'"{op}": {rule}' for op, rule in bound.items())
            lines.append(f"{indent}with gradient_override_map({{{entries}}}):")
            indent += "    "
        emitter = Emitter(framework, {} if framework.maps else bound, names)
        lines += [indent + _assignment(line, emitter) for line in assignments]
    return "\n".join([*lines, f"    return {names[checked.output]}"])


def _assignment(line: Assignment, emitter: Emitter) -> str:
    value = emitter.expression(line.value, floats=kind_of(line.value) == "number")
    names = ", ".join(emitter.names[name] for name in line.names)
    return f"{names} = {ast.unparse(ast.fix_missing_locations(value))}"


def _rules(checked: Checked, framework: Framework) -> list[str]:
    """A function for each rule that some op of the program meets."""
    groups = blocks(checked.program.assignments, checked.rows)
    active = {row for rows, _ in groups for row in rows.values()}
    return [
        _rule(row, f"rule_{place}", framework)
        for place, row in enumerate(checked.rows, start=1)
        if row in active
    ]


def _rule(row: Row, name: str, framework: Framework) -> str:
    inputs, outputs = (
        ("op.inputs", "op.outputs") if framework.name == "torch" else ("inputs", "outputs")
    )
    head = "op" if framework.name == "torch" else "inputs, outputs"
    used = {n.id for node in row.rule.gradients for n in walk(node) if isinstance(n, ast.Name)}
    lines = [f"def {name}({head}, *upstream):"]
    for word in sorted(used):
        source = {"grad": "upstream", "in": inputs, "out": outputs}[word.rstrip("0123456789")]
        lines.append(f"    {word} = {source}[{int(word.lstrip('gradinout') or 1) - 1}]")
    emitter = Emitter(framework)
    results = []
    for place, node in enumerate(row.rule.gradients):
        text = ast.unparse(ast.fix_missing_locations(emitter.expression(node)))
        if kind_of(node) == "number":
            library = {"torch": "torch", "tensorflow": "tf", "jax": "jnp"}[framework.name]
            text = f"{library}.ones_like({inputs}[{place}]) * ({text})"
        results.append(text)
    result = results[0] if len(results) == 1 else f"({', '.join(results)})"
    return "\n".join([*lines, f"    return {result}"])


def _foot(checked: Checked, framework: Framework) -> str:
    lines = ["inputs = {"]
    for input_ in checked.document.inputs:
        given = framework.given.replace("value", str(checked.inputs[input_.name].tolist()))
        line = f'    "{input_.name}": {given},'
        if input_.noise:
            line += f"  # {format_noise(input_.noise)}: " + WORDS("this_draw")
        lines.append(line)
    dtype = checked.document.dtype
    head = f"torch.set_default_dtype(torch.{dtype})\n" if framework.name == "torch" else ""
    return head + "\n".join([*lines, "}"]) + framework.foot


def _helpers(body: str, framework: Framework) -> list[str]:
    """The helpers that the text uses, those that helpers use too, in the framework's order."""
    used: set[str] = set()
    waiting = [body]
    while waiting:
        names = names_read(waiting.pop())
        fresh = [name for name in framework.helpers if name in names and name not in used]
        used.update(fresh)
        waiting += [framework.helpers[name] for name in fresh]
    return [name for name in framework.helpers if name in used]


def names_read(script: str) -> list[str]:
    """Every name that a script reads of what is around it, in order: no parameter, no local.

    >>> names_read("def double(x):\\n    y = 2 * x\\n    return clip(y, low)")
    ['clip', 'low']
    """
    found: dict[str, None] = {}
    tables = [symtable.symtable(script, "<unknown>", "exec")]
    while tables:
        table = tables.pop(0)
        tables += table.get_children()
        top = table.get_type() == "module"
        read = (one for one in table.get_symbols() if one.is_referenced())
        found |= {one.get_name(): None for one in read if top or one.is_global()}
    return list(found)


def _title(document: Document, framework: Framework) -> str:
    title = " ".join(document.title.replace("\\", " ").replace('"', "'").split())
    title = title or WORDS("no_title")
    title += "" if title[-1] in ".?!" else "."
    return WORDS("title", title=title, framework=framework.label)
