"""Reads pasted code: a function, a class with its forward, or a stretch of a script as a program.

What has a reading in the language gets it. What has none, such as a layer of a network, becomes an
input under its own name, so that everything around it still runs; a note says where and why.
"""

import ast
import copy
import io
import itertools
import re
import textwrap
import tokenize
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lessons.gradient_tricks.text import listed, visible
from lessons.playground.language.emit import in_torch_of
from lessons.playground.language.expressions import Node, Program, kind_of, row_of, surrogates
from lessons.playground.language.own_gradients import as_plain_functions, assigned
from lessons.playground.language.parse import parse_program
from lessons.playground.language.pasted_expressions import (
    KEEPS_OUTPUT,
    ROOTS,
    SKIPPED,
    Partial,
    PastedExpressions,
    at,
    call,
    calls_in,
    first_line,
    input_note,
    is_data,
    is_mask,
    names_in,
    number_in,
    replaced,
    values_in,
    with_hint,
)
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.spellings import (
    MODULES,
    NOISE,
    WITHOUT_EFFECT,
    path,
)
from lessons.playground.language.words import WORDS

_LONGEST_TEXT = 12_000
"""Longest text that is read as pasted code, in characters."""
_MOST_CALLS = 8
"""Calls of helpers that are read."""
_MAIN_NAMES = ("forward", "__call__", "call", "compute_loss", "loss")
"""Of several functions the first of these is read, else the last."""
_OFF = re.compile(r"no_grad|inference_mode|set_grad_enabled\((mode=)?False")
_ON = re.compile(r"enable_grad\(|set_grad_enabled\((mode=)?True|inference_mode\((mode=)?False")
"""What ends and begins the recording of gradients."""
_HARMLESS = re.compile(
    r"method|property|autocast|amp|jit|compile|function|Tape|nullcontext|device|scope|record|prof"
    r"|suppress|warnings|dataclass|overload|cache|wraps|custom_[fb]wd|once_differentiable|typed"
    r"|regist|configurable|fp16|fp32"
)
"""Decorators and contexts that change no number."""
_SILENT = {"retain_grad", "step", "zero_grad", "save_for_backward", "train", "eval", "__init__",
           "manual_seed", "append", "print", "requires_grad_", "mark_non_differentiable",
           "set_materialize_grads"}  # fmt: skip
"""Calls on a line of their own that change no value."""
_IN_TORCH = {"nn", "functional", "linalg", "special", "autograd", "numpy", "lax", "tricks"}
"""Modules of a framework."""
_LAYERS = {"Linear", "Conv1d", "Conv2d", "Conv3d"}
"""Layers that multiply their input by weights."""
_REQUIRES = re.compile(r"requires_grad(=True|_\((?!False))|\bParameter\(")
_RESULTS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)
_CODE = (ast.FunctionDef, ast.ClassDef, ast.Return, ast.With, ast.AnnAssign)
_REDUCES = re.compile(r"@|\b(sum|mean|norm|logsumexp|select|topk|matmul)\(")
"""What gives a value another shape than its operands have."""
_LISTS = ("[0.5, 1, 2]", "[0.2, 0.7, 0.1]", "[1, 0.3, 0.6]")
"""Values of inputs that the code has none for; a setting such as self.beta is one number."""


@dataclass(frozen=True)
class Pasted:
    """The program that pasted code becomes.

    Args:
        program: the assignments.
        inputs: what it reads: by name, values as text, or ``normal`` or ``uniform``, with
            ``like=x`` after it; empty for an input that is there and stays as it is.
        output: the name that it returns; empty where the program is the old one, reworded.
        notes: what was left out, and how some of it was read.
        warnings: what can't be read, and what stands in its place: backwards first, then by line.
        invented: the inputs that the code has no values for, each with what it stands for.
        above: the comments at the inputs that the code has values for.
        others: names whose lines have a trick that the output does not read.
    """

    program: str
    inputs: dict[str, str]
    output: str
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    invented: dict[str, str]
    above: dict[str, tuple[str, ...]]
    others: tuple[str, ...] = ()


def pasted(
    text: str, inputs: Sequence[str], before: str = "", matrices: Collection[str] = ()
) -> Pasted | None:
    r"""The program that pasted code is; None for a program that is typed here.

    Args:
        before: the program that ran last, where it is known: code that shares no line with it was
            pasted over it.
        matrices: the inputs with two axes.

    Raises:
        PlaygroundError: no line of a function can be read; at the first of them.

    >>> pasted("def f(x):\n    y = x * 2\n    return self.w * y", ["x"]).program
    'y = x * 2\nout = w * y'
    >>> pasted("y = sqr(x)", ["x"]) is None
    True
    """
    try:
        parse_program(text, inputs)
        return None
    except PlaygroundError:
        tree, clean = _parsed(text)
    if not tree:
        return None
    try:
        paste = _Paste(clean, inputs, matrices)
        found = paste.program(tree)
    except (RecursionError, SyntaxError, ValueError):
        return None
    if found is None and paste.unread and _is_code(tree):
        node, said = paste.unread
        if [*_functions(tree)]:
            raise PlaygroundError.at(node, said)
        raise PlaygroundError(at(node.lineno, said))
    if _is_code(tree) or _replaces(clean, tree, before):
        return found
    # Of a program that is typed here, only torch's words become the language's own.
    guessed = paste.why or (found and found.warnings)
    return None if found is None or guessed else replace(found, output="")


def _parsed(text: str) -> tuple[list[ast.stmt], str]:
    """The statements of a text, and the text at the left edge; none where Python cannot read it."""
    text = text.replace("\r\n", "\n").expandtabs(4)[: _LONGEST_TEXT + 1]
    first, _, rest = text.partition("\n")
    # Of a method that was copied from its first word on, only the first line has lost its indent.
    for tried in (text, textwrap.dedent(text), f"{first.strip()}\n{textwrap.dedent(rest)}"):
        try:
            with warnings.catch_warnings(action="ignore"):  # of 2if, say
                return (ast.parse(tried).body if len(text) <= _LONGEST_TEXT else []), tried
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return [], text


def _is_code(tree: list[ast.stmt]) -> bool:
    """Whether something stands here that only pasted code has; imports alone may be half of it."""
    imports = [isinstance(line, ast.Import | ast.ImportFrom) for line in tree]
    return not all(imports) and (any(imports) or any(
        isinstance(node, _CODE)
        or (isinstance(node, ast.Attribute) and _name(node.value) in ROOTS)
        for line in tree for node in ast.walk(line)
    ))  # fmt: skip


def _replaces(text: str, tree: list[ast.stmt], before: str) -> bool:
    old, new = ({line.strip() for line in code.split("\n")} - {""} for code in (before, text))
    return bool(before) and len(tree) > 2 and old.isdisjoint(new)


class _Paste(PastedExpressions):
    """Reads statement after statement."""

    def __init__(self, text: str, there: Sequence[str], matrices: Collection[str]) -> None:
        super().__init__(there, matrices)
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        self.comments = {t.start[0]: t.string for t in tokens if t.type == tokenize.COMMENT}
        self.above: dict[str, tuple[str, ...]] = {}
        self.place = 0  # the line that was read last
        self.result: Node | None = None  # what that helper returns
        self.lines: list[str] = []
        self.notes: list[str] = []
        self.output = self.last = ""  # what the code calls its result, or gives last
        self.several: tuple[int, int] | None = None  # line and number of the values returned
        self.returned: list[str] = []  # their names, as the program has them
        self.done = False
        self.went_backward = False  # since the gradients were cleared

    def program(self, tree: list[ast.stmt]) -> Pasted | None:
        """Translate pasted statements to a program and its inputs; None if they compute nothing."""
        self.leaves = {*_leaves(tree)}
        tree, own, self.notes, backwards = as_plain_functions(_imported(tree))
        self.own = own
        functions = {one.name: one for one in _functions(tree)}
        plain = [n for n in functions if n[:2] != "__" and n != "backward"]
        body = [s for s in tree if not isinstance(s, ast.FunctionDef | ast.ClassDef)]
        constants = [s for s in body if isinstance(s, ast.Assign | ast.AnnAssign) and all(
            map(self.constant, getattr(s.value, "elts", [s.value])))]  # fmt: skip
        self.settled |= {path(target)[-1]: value for target, value in assigned(constants)}
        results = [s for s in body if isinstance(s, _RESULTS) and s not in constants
                   and not (s.value and self.applied(s.value))]  # fmt: skip
        main = self._main_function(functions, results)
        self.helpers = {n: functions[n] for n in plain if n != main}
        if main:
            for one in (part for line in tree for part in ast.walk(line)):
                if isinstance(one, ast.ClassDef) and functions[main] in one.body:
                    self._settings(one.body, of_class=True)
            self.renamed |= self._arguments(functions[main])
            body = [s for s in tree if s in constants or (isinstance(s, ast.Assign)
                    and self.applied(s.value) in self.helpers)]  # fmt: skip
            body += functions[main].body
            self._switch(functions[main].decorator_list, "@")
        self.place = body[0].lineno - 1 if body and functions else 0
        for statement in body:
            self.statement(statement)
        program = "\n".join(self.lines)
        code = re.sub(r"#.*", "", program)
        used = [name for name in self.inputs if re.search(rf"\b{name}\b", code)]
        lists = itertools.cycle(_LISTS)
        values = {name: self.inputs[name] for name in used}
        for name in used:
            if not values[name] and (name not in self.there or name in self.why):
                values[name] = "0.5" if name in self.settings else next(lists)
                self.why.setdefault(name, lambda _: (0, WORDS("invented")))
        if used and all(one in NOISE.values() for one in values.values()):
            # The gradient needs an input that stays: of torch.randn(3, requires_grad=True), say.
            values[used[0]] = next(lists)
            self.why[used[0]] = lambda _: (0, WORDS("invented"))
        made = [name for name in self.names if name not in self.inputs]
        if not made:
            return None
        tensors = [name for name in made if self.names[name] == "tensor"] or made
        output = self.output if self.output in made else tensors[-1]
        others = [n for n in functions if n not in (main, "__init__", *self.inlined)]
        lines = [s.lineno for s in tree if isinstance(s, _RESULTS) and s not in body
                 and not (s.value and self.applied(s.value))]  # fmt: skip
        others += [WORDS("a_line", line=line) for line in lines]
        if others and main:
            self.notes.append(WORDS("only_read", name=main, others=listed(others)))
        self.notes += [at(line, said) for line, said in self.remarks]
        if self.left:
            self.notes.append(WORDS("left_out", names=listed([*self.left])))
        why = {name: self.why[name](name) for name in used if name in self.why}
        if not self.done and (wanted := self.output or self.last) in self.why.keys() - {*used}:
            self.warnings.append(self.why[wanted](""))
        self.warnings += [why[n] for n in why if why[n][0] and values[n] not in NOISE.values()]
        read = parse_program(program, used)
        for name in [n for n in used if values[n] in NOISE.values()]:
            values[name] += self._like(name, values, read)
        told = [at(*one) for one in dict.fromkeys((*backwards, *sorted(self.warnings)))]
        returned = [output, *(name for name in self.returned if name in made)]
        shown, tricks = _with_a_trick(read, returned)
        if self.several:
            line, count = self.several
            said = WORDS("several_returned", count=count, output=visible(shown, 32))
            self.notes.append(at(line, said))
        invented = {name: at(*one) for name, one in why.items()}
        notes = (*dict.fromkeys(self.notes),)
        return Pasted(program, values, shown, notes, (*told,), invented, self.above, tricks)

    def _like(self, name: str, values: Mapping[str, str], read: Program) -> str:
        """Name the input whose shape this noise has, or warn that it is one number."""
        node, source = self.noise_calls[name], self.shape_source[name]
        # Other noise has the shape of what it is drawn like; a name may stand for a shape alone.
        sources = {**self.shape_source}
        while source in sources and (source in self.noise_calls or source not in values):
            source = sources.pop(source)
        lines = [one for one in read.assignments if {*one.names} & read.behind(source)]
        behind = " ".join(ast.unparse(one.value) for one in lines)
        candidates = {source, *re.findall(r"\w+", behind)}
        asked = [*node.args, *(k.value for k in node.keywords if k.arg in ("size", "shape"))]
        asked = [each for one in asked for each in getattr(one, "elts", [one])]
        sizes = [ast.unparse(one) for one in asked] if "rand" in ast.unparse(node.func) else []
        if sizes and number_in(asked[0]):
            lists = {name for name, one in values.items() if one[:1] == "["}
            candidates = {n for n in lists if [str(values[n].count(",") + 1)] == sizes}
        like = [n for n in values if n in candidates and values[n] not in NOISE.values()]
        reduces = _REDUCES.search(f"{behind} {ast.unparse(node)}")
        if reduces or (not like and {*sizes} - {"1", "()"}) or len(sizes) > 1:
            self.warn_of_shape(node)
        like.sort(key=lambda one: values[one][:1] not in ("[", ""))
        return f" like={like[0]}" if like else ""

    def _main_function(
        self, functions: Mapping[str, ast.FunctionDef], results: Sequence[ast.stmt]
    ) -> str:
        """Choose the function to read; empty if the statements outside use them, so are read."""
        uses = any(_name(getattr(part, "func", None)) in functions.keys() - self.own
                   for s in results for part in ast.walk(s))  # fmt: skip
        if results and (uses or not functions.keys() - self.own):
            return ""
        called = {n for name, one in functions.items()
                  for n in calls_in(one) | (names_in(one) & self.own) if n != name}  # fmt: skip
        gives = {name for name, one in functions.items()
                 if any(isinstance(part, _RESULTS) for part in ast.walk(one))}  # fmt: skip
        plain = [n for n in functions if n[:2] != "__" and n != "backward"]
        order = [n for n in (*_MAIN_NAMES, *plain[::-1], *functions) if n in functions]
        return min(order, key=lambda n: (n not in gives, n in called, n in self.own), default="")

    def _arguments(self, function: ast.FunctionDef, used: ast.Call | None = None) -> dict[str, str]:
        """What a function's arguments are called in the program; those not given are inputs."""
        bound: dict[str, str] = {}
        places = iter(used.args if used else ())
        words = {word.arg: word.value for word in (used.keywords if used else ())}
        for name, default in _defaults(function).items():
            value = next(places, words.get(name))
            self.settled[name] = value or default
            if value is None:
                bound[name] = self.input(self.clean(name), self.constant(default))
                continue
            node = self.read(value)
            if isinstance(node, ast.Name):
                bound[name] = node.id
            else:
                bound[name] = made = self.fresh(name)
                self.names[made] = kind_of(node)
                self.matrices |= {made} if self.is_matrix(node) else set()
                self.lines.append(f"{made} = {in_torch_of(node)}")
        return bound

    def _settings(self, lines: Iterable[ast.stmt], of_class: bool = False) -> None:
        """Read what the lines of a class or of its __init__ say of names on self."""
        for line in lines:
            given = [*assigned([line])]
            if isinstance(line, ast.FunctionDef) and line.name == "__init__":
                self.settled |= _defaults(line)
                self._settings(line.body)
            elif isinstance(line, ast.If):
                holds = self.decided(line.test)
                self._settings([*line.body * (holds is not False), *line.orelse * (not holds)])
                if holds is None:
                    note = input_note(line, visible(f"if {ast.unparse(line.test)}", 48))
                    names = (path(target)[-1] for target, _ in assigned(ast.walk(line)))
                    self.why |= {self.clean(name): note for name in names}
            elif isinstance(used := getattr(line, "value", None), ast.Call) and used.args[1:]:
                name, value, *_ = used.args
                if "register_" in path(used.func)[-1]:
                    given = [(ast.Attribute(used.func, str(getattr(name, "value", ""))), value)]
            for target, value in given:
                if of_class or isinstance(target, ast.Attribute):
                    self._setting(path(target)[-1], value)
                else:
                    self.settled[_name(target)] = value

    def _setting(self, name: str, value: ast.expr) -> None:
        """Note what self.name is in the code: a number, or a function such as nn.ReLU()."""
        value = self.settled.get(_name(value)) or value
        number = self.constant(value)
        self.settled[name] = ast.parse(number, mode="eval").body if number else value
        called = path(value.func)[-1] if isinstance(value, ast.Call) else ""
        if called in _LAYERS:
            self.layers.add(name)
        elif called == "Sequential" and isinstance(value, ast.Call):
            self._sequence(name, value)
        elif called.lower() in WITHOUT_EFFECT:
            self.functions[self.clean(name)] = Partial(called.lower())
        read = self._settle(self.clean(name), value) or name in {*self.layers, *self.helpers}
        if number:
            self.input(self.clean(name), number)
        elif not read and not isinstance(value, ast.Constant | ast.Name):
            self.why[self.clean(name)] = input_note(value, visible(ast.unparse(value), 48))

    def _settle(self, name: str, value: ast.expr) -> bool:
        """Whether the name is a function from here on, as in ``mse = nn.MSELoss()``."""
        if self.applied(value) in self.helpers:
            self.helpers[name] = self.helpers[self.applied(value)]
            self.own.add(name)
            return True
        if made := self.module(value):
            self.functions[name] = made
        return bool(made)

    def _sequence(self, name: str, value: ast.Call) -> None:
        """Read an ``nn.Sequential`` as a helper that calls one layer after another."""
        through = "x"
        for place, layer in enumerate(value.args):
            self._setting(f"{name}_{place}", layer)
            through = f"self.{name}_{place}({through})"
        (made,) = ast.parse(f"def {name}(x): return {through}").body
        assert isinstance(made, ast.FunctionDef)
        self.helpers[name] = ast.increment_lineno(made, value.lineno - 1)

    def statement(self, node: ast.stmt) -> None:
        """Read one statement; what it cannot be leaves a note."""
        if self.done or isinstance(node, SKIPPED):
            return
        used = getattr(node, "value", None)
        frozen = re.fullmatch(r"(\w+)\.requires_grad(_\(False\)| = False)", ast.unparse(node))
        if isinstance(node, ast.Return):
            self._return(node)
        elif frozen:
            leaf = ast.Name(frozen[1], ast.Store())
            self.assign(node, leaf, call("stop_gradient", ast.Name(frozen[1])))
        elif isinstance(used, ast.Call) and path(used.func)[-1].endswith("_hook"):
            self._unread(ast.copy_location(ast.Expr(used), node))
        elif isinstance(node, ast.Expr):
            if isinstance(used, ast.Call):
                self._does(node, used)
            elif not isinstance(used, ast.Constant):
                self._unread(node)
        elif isinstance(node, ast.AugAssign):
            self._change(node, node.target, ast.BinOp(node.target, node.op, node.value))
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            value = node.value
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if value is not None:
                    self._change(node, target, value)
                    value = ast.Name(target.id) if isinstance(target, ast.Name) else value
        elif isinstance(node, ast.If):
            for part in ast.walk(node.test):
                if isinstance(part, ast.NamedExpr):
                    self.assign(node, part.target, part.value)
            for each in node.body if self.takes_first(node) else node.orelse:
                self.statement(each)
        elif isinstance(node, ast.With):
            before = self.stopped
            self._switch([item.context_expr for item in node.items], "with ")
            for each in node.body:
                self.statement(each)
            self.stopped = before
        else:
            self._unread(node)

    def _switch(self, items: Iterable[ast.expr], before: str = "") -> None:
        """Follow decorators or the items of a with: whether gradients are recorded from here on."""
        for item in items:
            code = ast.unparse(item)
            if _ON.search(code) or _OFF.search(code):
                self.stopped = not _ON.search(code)
            elif not _HARMLESS.search(code):
                shown = visible(before + code, 48)
                self.warnings.append((item.lineno, WORDS("unread", code=shown)))

    def _does(self, node: ast.Expr, used: ast.Call) -> None:
        """Read a call on a line of its own."""
        func, called = used.func, path(used.func)
        on = func.value if isinstance(func, ast.Attribute) else func
        in_place = called[-1].endswith("_") or "inplace=True" in ast.unparse(used)
        if called[-1] == "backward":
            given = [*used.args, *(k.value for k in used.keywords if k.arg == "gradient")][:1]
            if given and called[0] and called[0] not in self.renamed:
                on = given[0]  # accelerator.backward(loss)
            elif given and self.constant(given[0]) not in ("1", "None"):
                on = call("scale_gradient", on, given[0])  # y.backward(v)
            name = _name(on) or (called[0] if called[0] in self.renamed else "loss")
            if not isinstance(on, ast.Name):  # mse_loss(y, t).backward()
                self.assign(node, ast.Name(name, ast.Store()), on)
            self.output = self.renamed.get(name, self.output)
            if self.went_backward:
                self.warnings.append((node.lineno, WORDS("second_backward")))
            self.went_backward = True
        elif called[-1] == "zero_grad" or called[-2:] == ["grad", "zero_"]:
            self.went_backward = False
        elif called[-1] == "set_grad_enabled":
            self._switch([used])
        elif in_place and called[-1] not in _SILENT:
            target = used.args[0] if called[0] in MODULES and used.args else on
            while isinstance(target, ast.Call) and isinstance(target.func, ast.Attribute):
                target = target.func.value
            self._change(node, target, used)
        elif called[-1] not in _SILENT:
            self._unread(node)

    def _change(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> None:
        """Read a statement; of a tensor that it changes in place, no other name is read then."""
        whole = target.value if isinstance(target, ast.Subscript) else target
        data = is_data(whole)
        if not (data or whole is not target or isinstance(node, ast.Expr | ast.AugAssign)):
            self.assign(node, target, value)
            return
        changed = self.changed(whole, node)
        if self.stopped or data:
            self._emit(node, f"# {first_line(node)}")
        else:
            self.assign(node, target, value)
        self.stale |= changed

    def _unread(self, node: ast.stmt) -> None:
        """Keep a statement as a comment; the names that it gives become inputs where used."""
        parts = [n for n in ast.walk(node) if isinstance(n, ast.Subscript | ast.Name)]
        stored = {_name(getattr(n, "value", n)) for n in parts if isinstance(n.ctx, ast.Store)}
        names = (n.id for n in parts if isinstance(n, ast.Name) and n.id in stored)
        shown = first_line(node)
        given = [(name, self.input(self.fresh(name))) for name in dict.fromkeys(names)]
        self.renamed |= dict(given)
        self.why |= {made: input_note(node, shown) for _, made in given}
        self._emit(node, f"# {shown}")
        if not given:
            self.warnings.append((node.lineno, with_hint(WORDS("unread", code=shown), node)))

    def _return(self, node: ast.Return) -> None:
        self.done, value = True, node.value
        if value is None:
            return
        several = getattr(value, "elts", None) or getattr(value, "values", None) or [value]
        read = [v for v in several if self.renamed.get(_name(v)) not in self.why] or several
        returned = next((v for v in read if "loss" in ast.unparse(v).lower()), read[0])
        if self.helping:
            self.result = self.expression(node, returned)
            return
        if several[0] not in read:
            self.warnings.append((node.lineno, WORDS("unread", code=_name(several[0]))))
        tricky = [v for v in several if v is not returned and names_in(v) & self.own]
        if len(several) > 1:
            self.several = node.lineno, len(several)
        if self.renamed.get(_name(returned)) in self.stale:
            self.read(returned)
        self.output = self.renamed.get(_name(returned), "")
        unread = self.output in self.why and bool(self.names.keys() - self.inputs.keys())
        if not unread and (self.output not in self.names or self.output in self.inputs):
            names = (n for n in ("out", "output", "result", "returned") if n not in self.names)
            self.output = next(names)
            self.assign(node, ast.Name(self.output, ast.Store()), returned)
            unread = self.output not in self.names or self.output in self.inputs
        if unread and not tricky:
            said = WORDS("unread_output", code=visible(ast.unparse(returned), 48))
            why = self.why.get(self.output)
            self.warnings.append(why("") if why else (node.lineno, said))
        self.returned = [self.renamed.get(_name(v), "") for v in several]
        for other in tricky:
            self.assign(node, ast.Name("out", ast.Store()), other)
            self.returned.append(self.renamed.get("out", ""))

    def assign(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> None:
        """Read one assignment."""
        if isinstance(target, ast.Subscript) and is_mask(target.slice, self.masks):
            value, target = replaced(target, value), target.value
        if isinstance(target, ast.Attribute) and target.attr in ("requires_grad", "grad"):
            return
        targets = getattr(target, "elts", None) or [target]
        on_self = {one.attr for one in targets if isinstance(one, ast.Attribute)}
        targets = [ast.Name(one.attr, ast.Store()) if isinstance(one, ast.Attribute) else one
                   for one in targets]  # fmt: skip
        parts = value.elts if isinstance(value, ast.Tuple) and len(targets) > 1 else []
        name = _name(targets[0])
        new = name not in self.renamed or _REQUIRES.search(ast.unparse(value))
        known = self.numbers if new and name in self.leaves else None
        if not all(isinstance(one, ast.Name) for one in targets):
            self._unread(node)
        elif parts and any(map(values_in, parts)):
            for one, part in zip(targets, parts, strict=False):
                self.assign(node, one, part)
        elif len(parts) == len(targets):
            # As Python does: all are read before any is given.
            each = [self.expression(node, part) for part in parts]
            for one, part in zip(targets, each, strict=True):
                self._assign(node, [_name(one)], part)
        elif len(targets) == 2 and isinstance(value, ast.Call) and path(value.func)[-1] == "topk":
            self.assign(node, targets[0], value)
            self.renamed[_name(targets[1])] = places = self.input(self.fresh(_name(targets[1])))
            self.why[places] = input_note(node, first_line(node))
        elif (values := values_in(value, known)) and (not self.leaves or name in self.leaves):
            self.renamed[name] = made = self.input(self.fresh(name), values)
            self.written[made] = values
            tail = self.comments.get(node.end_lineno or 0)
            self.above[made] = (*self._comments(node), *([tail] if tail else []))
        elif len(targets) > 1 or not self._settle(name, value):
            read = self.expression(node, value, len(targets))
            self._assign(node, [_name(one) for one in targets], read)
            self.written |= {self.last: values} if values else {}
        self.given_on_self |= on_self

    def _assign(self, node: ast.stmt, targets: list[str], value: Node) -> None:
        """Give names to what was read, or to inputs if no part of it could be read."""
        whole = _name(value)
        self.settled |= dict.fromkeys(targets)
        new = whole in self.why and whole not in self.renamed.values()
        if new and not any(re.search(rf"\b{whole}\b", one) for one in self.lines if one[0] != "#"):
            # All of it stands for code that cannot be read: the names on the left are the inputs.
            reason, values = self.why.pop(whole), self.inputs.pop(whole)
            source, call = self.shape_source.pop(whole, ""), self.noise_calls.pop(whole, None)
            del self.names[whole]
            self.stand_ins = {k: n for k, n in self.stand_ins.items() if n != whole}
            self._emit(node, f"# {first_line(node)}")
            for target in targets:
                self.renamed[target] = self.last = self.input(self.fresh(target), values)
                self.why[self.last], self.shape_source[self.last] = reason, source
                self.noise_calls |= {self.last: call} if call else {}
        elif whole and re.sub(r"\d+$", "", whole) == self.clean(targets[0]):
            self.renamed[targets[0]] = whole  # as in x = x.view(-1)
        else:
            names = [self.fresh(target) for target in targets]
            kind = kind_of(value)
            self.last = names[-1]
            self.names |= dict.fromkeys(names, "tensor" if kind == "several" else kind)
            self.matrices |= {*names} if self.is_matrix(value) else set()
            row = row_of(value)
            needs = row is not None and row.name in KEEPS_OUTPUT and names_in(value) & {*self.names}
            stops = re.search("stop_gradient|detach", ast.unparse(value))
            self.saved_outputs |= {*names} if needs and not stops else set()
            if origin := self.origin(value):
                self.views |= dict.fromkeys(names, origin)
            self.renamed |= dict(zip(targets, names, strict=True))
            self._emit(node, f"{', '.join(names)} = {in_torch_of(value)}")

    def _emit(self, node: ast.stmt, text: str) -> None:
        """Add a line, with the comments above it and at its end."""
        self.lines += self._comments(node)
        tail = self.comments.get(node.end_lineno or 0)
        self.lines.append(f"{text}  {tail}" if tail and text[0] != "#" else text)

    def _comments(self, node: ast.stmt) -> list[str]:
        """The comments between the line that was read last and a statement."""
        above = range(self.place + 1, node.lineno)
        self.place = max(self.place, node.end_lineno or 0)
        return [self.comments[line] for line in above if line in self.comments]

    def inline(self, name: str, node: ast.Call) -> Node:
        """What a call of a helper gives. Its statements become lines of the program, once, though
        a function that is written out reads its operand several times."""
        place = (*self.call_path, (node.lineno, node.col_offset, node.end_col_offset, name))
        if place not in self.call_results:
            before, self.call_path = self.call_path, place
            self.call_results[place] = self._read_call(name, node)
            self.call_path = before
        return copy.deepcopy(self.call_results[place])

    def _read_call(self, name: str, node: ast.Call) -> Node:
        """Read the statements of a helper for one call, and return its result."""
        self.inlined.append(name)
        if len(self.inlined) > _MOST_CALLS:
            raise ValueError("The code has more that cannot be read than is worth trying.")
        before = self.renamed, self.done, self.helping, {**self.settled}, self.stopped
        self._switch(self.helpers[name].decorator_list, "@")
        names = self._arguments(self.helpers[name], node)
        self.renamed, self.done, self.helping = names, False, True
        for statement in self.helpers[name].body:
            self.statement(statement)
        self.renamed, self.done, self.helping, self.settled, self.stopped = before
        result, self.result = self.result, None
        return result or self.read(ast.copy_location(ast.Constant(0), node))


def _imported(tree: Iterable[ast.stmt]) -> list[ast.stmt]:
    """The statements, with ``torch.exp`` for ``th.exp``."""
    known: dict[str, str] = {}
    for node in (part for line in tree for part in ast.walk(line)):
        for one in node.names if isinstance(node, ast.Import | ast.ImportFrom) else []:
            root, *_ = (getattr(node, "module", None) or one.name).split(".")
            module = isinstance(node, ast.Import) or one.name in _IN_TORCH
            if root in MODULES and (name := one.asname or one.name) not in MODULES:
                known[name] = "torch" if module else one.name

    class Spelt(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.Name:
            return ast.copy_location(ast.Name(known.get(node.id, node.id), node.ctx), node)

    return [Spelt().visit(line) for line in tree]


def _with_a_trick(read: Program, returned: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The first of the returned values, or the first that a gradient reaches through a trick; and
    the other lines with tricks that it does not read. A loss gives way to another loss only."""
    lines = {name: line for line in read.assignments for name in line.names}
    tricks = [name for name, line in lines.items() if any(map(_is_trick, line.nodes))]
    tops = {name: row_of(lines[name].value) for name in tricks}
    stopped = {name for name, row in tops.items() if row and row.op == "stop_gradient"}
    others = [name for name in tricks if name not in stopped]  # no gradient: nothing to show
    output, *more = sorted(returned, key=lambda name: name in stopped)
    if not read.behind(output) & {*tricks}:
        through = (n for n in more if read.behind(n) & {*tricks} and n not in stopped)
        output = next((n for n in through if "loss" in n or "loss" not in output), output)
    return output, tuple(name for name in others if name not in read.behind(output))


def _is_trick(node: ast.expr) -> bool:
    row = row_of(node)
    return bool(surrogates(node)) or (row is not None and row.trick and row.op != "identity")


def _name(node: ast.AST | None) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _functions(tree: Iterable[ast.stmt]) -> Iterator[ast.FunctionDef]:
    for node in tree:
        if isinstance(node, ast.FunctionDef):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body)


def _leaves(tree: Sequence[ast.stmt]) -> Iterator[str]:
    """The names of the tensors that the code says require a gradient."""
    for target, value in assigned(part for line in tree for part in ast.walk(line)):
        code = ast.unparse(value)
        if path(target)[-1] == "requires_grad":
            yield from path(target)[:1] * (code == "True")
        elif _REQUIRES.search(code):
            yield path(target)[-1]
    for line in tree:
        yield from re.findall(r"(\w+)\.requires_grad_\((?!False)", ast.unparse(line))


def _defaults(function: ast.FunctionDef) -> dict[str, ast.expr | None]:
    """A function's arguments with what each is if it is not given."""
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    none = [None] * (len(plain) - len(given.defaults))
    pairs = [*zip(plain, [*none, *given.defaults], strict=True)]
    pairs += zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return {one.arg: default for one, default in pairs if one.arg not in ROOTS}
