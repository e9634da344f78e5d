"""Reads an expression of pasted code; an input stands for each part that has no reading."""

import ast
import copy
import itertools
import math
import re
import unicodedata
from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from keyword import kwlist
from typing import Any, NamedTuple

from lessons.gradient_tricks.text import visible
from lessons.playground.language.expressions import (
    SIGNS,
    Node,
    children,
    kind_of,
    of_kind,
    sign,
    value_of,
    walk,
    with_place,
)
from lessons.playground.language.expressions import called as called_in
from lessons.playground.language.functions import CALLABLE, Put, Signature, own_name
from lessons.playground.language.limits import MAX_NAME
from lessons.playground.language.parse import Reader
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.language.refusals import OUR_NAMES
from lessons.playground.language.spellings import (
    INSTEAD,
    MODULES,
    NOISE,
    NUMBERS,
    OMITTED,
    SHAPES,
    TABLE,
    TENSORS,
    WITHOUT_EFFECT,
    WRITTEN_OUT,
    instead,
    path,
)
from lessons.playground.language.words import WORDS

ROOTS = {"self", "cls", "ctx", "args", "opt", "cfg", "config", "hparams", "params"}
"""Objects that hold settings: ``self.beta`` is ``beta``."""
_FLOATS = re.compile(r"float|double|half|\bdtype$")
"""Number formats that only round."""
_NO_EFFECT = {"sorted", "inplace", "keepdim", "keepdims", "requires_grad", "non_blocking"}
"""Settings that change no number."""
WHOLE_NUMBERS = re.compile(r"\b(bool|u?int\d*|long|short|char|byte)(tensor)?\b", re.IGNORECASE)
"""Number formats that cut off."""
_OTHER_AXES = {"sum", "mean", "norm", "logsumexp", "select", "unbind"}
"""Functions whose value has other axes than their operand."""
_RANGE = {"mean", "std", "stddev", "loc", "scale", "low", "high", "minval", "maxval"}
"""Settings of noise."""
_VIEWS = {"stop_gradient", "detach", "transpose", "select", "unbind"}
"""Functions whose value is a view of their operand."""
KEEPS_OUTPUT = {"exp", "sqrt", "tanh", "sigmoid", "relu", "softmax", "log_softmax", "logsumexp"}
"""Functions whose backward reads their value: torch refuses to run it once that has changed."""
_LAST_AXIS = {"normalize", "cosine_similarity", "cross_entropy"}
"""Functions that the language has for a list only."""
_NO_EFFECT_ON_LIST = re.compile(r"batchmean|keepdims?=True|, True\)")
"""Settings that do nothing to a list."""
_WITHOUT_HINT = {*OMITTED, *NUMBERS, *WITHOUT_EFFECT, *WRITTEN_OUT}
"""Names that can be read, or left out; of those written out, only some settings can't be read."""
_LOGIC = {"logical_and": ast.BitAnd, "logical_or": ast.BitOr}
_GUARD = re.compile(r"has_torch_function|is_scripting|isinstance|dim\b|shape|numel|len\(")
"""Conditions on the kind or the shape of tensors; with these, a function may return early."""
_ON_OBJECTS = re.compile(r"'|\b(is|in)\b")
"""What is in conditions on texts and on None."""
_MASK = ast.parse("x > 0", mode="eval").body
SKIPPED = (ast.Import, ast.ImportFrom, ast.Assert, ast.Pass, ast.Raise, ast.Delete, ast.Global)
"""Statements that compute nothing."""
_PASSED_ON = {"flip_gradient", "scale_gradient", "clip_gradient"}
"""A call on what one of these returns is read as a layer, so that the gradient comes through it."""


class Partial(NamedTuple):
    """A function with settings, as ``nn.LeakyReLU(0.2)`` is one."""

    name: str
    given: Sequence[ast.expr] = ()
    keywords: Sequence[ast.keyword] = ()


Why = Callable[[str], tuple[int, str]]
"""For an input's name: the line of the code that it stands for, 0 for none, and the note."""


def _squashed(name: str) -> str:
    return name.lower().replace("_", "").removesuffix("loss").replace("binarycrossentropy", "bce")


_CLASSES = {_squashed(name): name for name in (*CALLABLE, *TABLE)}


class PastedExpressions(Reader):
    """Reads expressions; knows what each name of the code is called in the program.

    Args:
        there: the inputs that the playground has.
        matrices: those with two axes.
    """

    def __init__(self, there: Sequence[str], matrices: Collection[str]) -> None:
        super().__init__({})
        self.there = there
        self.matrices = {*matrices}  # names that the code, too, gives two axes
        self.warnings: list[tuple[int, str]] = []
        self.renamed: dict[str, str] = {}  # what each name is called in the program by now
        self.given_on_self: set[str] = set()  # attributes that the code assigns
        self.functions: dict[str, Partial] = {}  # what a name stands for: self.act = nn.ReLU()
        self.settings: set[str] = set()  # inputs that are settings on self
        self.inputs: dict[str, str] = {}  # all that were met, with values where the code has some
        self.stand_ins: dict[str, str] = {}  # by the code that they stand for
        self.why: dict[str, Why] = {}  # of an input that stands for code
        self.shape_source: dict[str, str] = {}  # for a stand-in: the first name in its code
        self.noise_calls: dict[str, ast.Call] = {}  # for noise: the call that draws it
        self.written: dict[str, str] = {}  # of a name in the program: the numbers that the code has
        self.settled: dict[str, ast.expr | None] = {}  # what the code gives settings
        self.layers: set[str] = set()
        self.helpers: dict[str, ast.FunctionDef] = {}
        self.inlined: list[str] = []  # their calls that were read
        self.call_path: tuple[Any, ...] = ()  # the places of the helper calls that are being read
        self.call_results: dict[tuple[Any, ...], Node] = {}  # of helper calls, by these places
        self.leaves: set[str] = set()  # what requires a gradient; empty if the code doesn't say
        self.saved_outputs: set[str] = set()  # names whose values backward needs
        self.helping = False  # whether the statements are a helper's
        self.own: set[str] = set()  # autograd Functions
        self.views: dict[str, str] = {}  # of a name in the program: the tensor that it is a view of
        self.stale: dict[str, Why] = {}  # names whose tensors are changed in place since
        self.unread: tuple[ast.expr, str] | None = None  # what can't be read first, and why
        self.left: dict[str, None] = {}
        self.remarks: dict[tuple[int, str], None] = {}  # by line
        self.stopped = False  # within no_grad

    @property
    def numbers(self) -> dict[str, str]:
        """The numbers that the code writes out, by its own names."""
        made = self.renamed.items()
        return {name: self.written[one] for name, one in made if one in self.written}

    @property
    def masks(self) -> dict[str, ast.expr]:
        """The names of the code that are comparisons by now, each with one."""
        names = (name for name, made in self.renamed.items() if self.names.get(made) == "mask")
        return dict.fromkeys(names, _MASK)

    @abstractmethod
    def inline(self, name: str, node: ast.Call) -> Node:
        """Read a call of another function of the code."""

    def _known(self, node: ast.expr) -> Any:
        """The value of a setting or a literal; ValueError if the code doesn't write it out."""
        root, *names = path(node)
        name = "_".join(names if root in ROOTS else [root, *names])
        return ast.literal_eval(self.settled.get(name) or node)

    def constant(self, node: ast.expr | None) -> str:
        """The number or the list that an expression of settings gives, as text; empty if none."""
        if node is None or (written := number_in(node)):
            return written if node else ""
        code = re.sub(rf"\b({'|'.join(ROOTS)})\.", "", ast.unparse(unwrapped(node)))
        known = {name: value for name, value in self.settled.items() if value}
        try:
            made = Put(known).visit(ast.parse(code, mode="eval").body)
            number = value_of(Reader({}).read(made))
        except (PlaygroundError, SyntaxError, OverflowError):
            number = None
        return values_in(node, {}) if number is None else repr(number).removesuffix(".0")

    def decided(self, test: ast.expr) -> bool | None:
        """Whether a condition on settings holds; None if the code doesn't say.

        A bare flag, such as ``hard``, stays open: what it switches on is often the trick.
        """
        try:
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                return not self._known(test.operand)
            if isinstance(test, ast.Compare):
                (other,) = test.comparators
                if isinstance(test.ops[0], ast.Is | ast.IsNot):  # of a helper's arguments, we know
                    same = self.helping and self._known(test.left) is self._known(other)
                    return same == isinstance(test.ops[0], ast.Is) if self.helping else None
                return bool(SIGNS[sign(test)].run(self._known(test.left), self._known(other)))
        except (KeyError, TypeError, ValueError):
            pass
        return None

    def takes_first(self, node: ast.If | ast.IfExp) -> bool:
        """Whether to read the first branch of a condition; warn of the one that isn't read."""
        test, known = ast.unparse(node.test), self.decided(node.test)
        other = test.endswith(" is None") or test.startswith("not ")
        other = other if known is None else not known
        body = node.body if isinstance(node, ast.If) else [ast.Expr(node.body)]
        refuses = all(isinstance(each, SKIPPED) for each in body)
        # A guard for tensors of another kind or shape comes before what is computed.
        returns = isinstance(body[-1], ast.Return) and not node.orelse
        other |= refuses or (returns and bool(_GUARD.search(test)))
        name = test.partition(" is ")[0].rpartition(".")[2]
        default = ast.unparse(self.settled.get(name) or node.test)
        asks = test.endswith((" is None", " is not None"))
        asks &= known is not None or default != "None"
        if not (refuses or asks or test == "__name__ == '__main__'"):
            shown = visible(f"if {test}", 35)
            first = WORDS("first_branch", code=shown)
            said = WORDS("other_branch", code=shown) if other else first
            self.warnings.append((node.lineno, said))
        return not other

    def expression(self, line: ast.stmt, value: ast.expr, names: int = 1) -> Node:
        """Read an expression of a statement that gives a value to each of these names."""
        before = self.depth, self.ops
        self.depth = self.ops = 0
        value = with_place(call("stop_gradient", value) if self.stopped else value, line)
        try:
            node = self.read_several(value, names) if names > 1 else self.read(value)
        except (PlaygroundError, OverflowError):
            node = self.stand_in(value)
        self.depth, self.ops = before
        return node

    def read(self, node: ast.expr) -> Node:
        if self.in_py_func:
            return super().read(node)
        try:
            if isinstance(node, ast.IfExp):
                code = ast.unparse(node.test)
                other = _ON_OBJECTS.search(code) or _GUARD.search(code)
                compares = is_mask(node.test, self.masks) and not other
                if self.decided(node.test) is not None or not compares:
                    return self.read(node.body if self.takes_first(node) else node.orelse)
                return self._read_as(node, call("where", node.test, node.body, node.orelse))
            if isinstance(node, ast.Subscript):
                parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                written = {ast.unparse(part) for part in parts}
                if written <= {":", "None", "..."}:
                    if "None" in written:
                        self.warn_of_shape(node)
                    return self.read(node.value)
            return super().read(node)
        except (PlaygroundError, OverflowError):
            return self.stand_in(node)

    def warn_of_shape(self, node: ast.expr) -> None:
        code = visible(ast.unparse(node), 48)
        self.warnings.append((node.lineno, WORDS("shape_unread", code=code)))

    def is_matrix(self, node: ast.expr) -> bool:
        """Whether an expression has two axes, by what the code writes out."""
        if isinstance(node, ast.Name):
            name = self.renamed.get(node.id, node.id)
            return name in self.matrices or self.inputs.get(name, "").startswith("[[")
        if isinstance(node, ast.List):
            return any(isinstance(one, ast.List) for one in node.elts)
        row = TABLE.get(own_name(path(getattr(node, "func", node))[-1]))
        if row and (row.name in _OTHER_AXES or row.text.startswith("mean(")):
            return False
        parts = (one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr))
        every = isinstance(getattr(node, "op", None), ast.MatMult)
        return (all if every else any)(map(self.is_matrix, parts))

    def _read_as(self, node: ast.expr, made: ast.expr) -> Node:
        """Read another expression in place of one."""
        return self.read(with_place(made, node))

    def _name(self, node: ast.Name) -> Node:
        name = self.renamed.get(node.id, "")
        if not name and node.id in (*CALLABLE, *MODULES):
            return super()._name(node)
        name = name or self.clean(node.id)
        if name in self.stale:
            made = self.input(self.fresh(name))
            self.why[made] = self.stale.pop(name)
            self.renamed |= {n: made for n, one in self.renamed.items() if one == name}
            name = made
        if name not in self.names:
            self.input(name)
        return of_kind(ast.Name(name), self.names[name], node)

    def origin(self, node: Node) -> str:
        """The name in the program whose memory an expression shares; empty if its own."""
        while called_in(node) in _VIEWS and isinstance(node, ast.Call):
            node = node.args[0]
        return self.views.get(node.id, node.id) if isinstance(node, ast.Name) else ""

    def _overwrites(self, at: ast.expr | ast.stmt) -> None:
        self.warnings.append((at.lineno, WORDS("overwrites", code=first_line(at))))

    def changed(self, operand: ast.expr, at: ast.expr | ast.stmt) -> dict[str, Why]:
        """The names that can't be read once ``at`` has changed an operand in place, and why."""
        origin = self.origin(self.read(operand))
        leaves = {self.renamed.get(one) for one in self.leaves} & self.inputs.keys()
        if not is_data(operand) and (
            origin in self.saved_outputs or (not self.stopped and origin in leaves)
        ):
            self._overwrites(at)
        if origin in {*self.stand_ins.values()} - {*self.renamed.values()}:
            return {}  # nothing else reads it
        same = (name for name in self.names if self.views.get(name, name) == origin)
        return {name: input_note(at, first_line(at), changed=True) for name in same
                if self.names[name] == "tensor"}  # fmt: skip

    def _attribute(self, node: ast.Attribute) -> Node:
        root, *names = path(node)
        function = {"data": "stop_gradient", "T": "t"}.get(node.attr)
        if function and (len(names) > 1 or root not in ROOTS):
            return self._read_as(node, call(function, node.value))
        if root in ROOTS and root not in self.renamed:
            name = "_".join(names)
            if name not in self.given_on_self and self.clean(name) in self.names:
                # The code gives self.scale no value: a scale that it computed is another tensor.
                made = self.clean(name)
                name = f"self.{name}"
                self.renamed.setdefault(name, made if made in self.inputs else self.fresh(made))
            found = self._name(ast.copy_location(ast.Name(name), node))
            if len(names) == 1 and isinstance(found, ast.Name):
                self.settings.add(found.id)
            return found
        if names[-1] == "pi" and root in MODULES:
            return self._read_as(node, ast.Constant(math.pi))
        return super()._attribute(node)

    def _unary(self, node: ast.UnaryOp) -> Node:
        if not isinstance(node.op, ast.Invert):
            return super()._unary(node)
        mask = self.as_mask(self.read(node.operand), node)
        return self._mask(lambda a, b: _chosen(mask, b, a), node)

    def _binary(self, node: ast.BinOp) -> Node:
        if not is_mask(node, self.masks):
            return super()._binary(node)
        left, right = (self.as_mask(self.read(one), node) for one in (node.left, node.right))
        if isinstance(node.op, ast.BitAnd):
            return self._mask(lambda a, b: _chosen(left, _chosen(right, a, b), b), node)
        return self._mask(lambda a, b: _chosen(left, a, _chosen(right, a, b)), node)

    def _mask(self, choose: Callable[[Node, Node], Node], at: ast.expr) -> Node:
        """Combine masks; ``choose`` writes one of two expressions, as a where with all of them."""
        self.count(at)
        one, zero = (of_kind(ast.Constant(number), "number", at) for number in (1.0, 0.0))
        made = ast.Compare(choose(one, zero), [ast.Gt()], [zero])
        vars(made)["choose"] = choose
        return of_kind(made, "mask", at)

    def as_number(self, value: Node, at: ast.expr, refused: str = "") -> Node:
        if kind_of(value) != "mask":
            return value
        one, zero = (of_kind(ast.Constant(number), "number", at) for number in (1.0, 0.0))
        made = _chosen(value, one, zero)
        vars(made)["mask"] = value
        return made

    def as_mask(self, value: Node, at: ast.expr, refused: str = "") -> Node:
        """Return a mask; a tensor is true where it is not 0, as in torch."""
        if kind_of(value) != "tensor":
            return super().as_mask(value, at, refused)
        zero = of_kind(ast.Constant(0.0), "number", at)
        is_true = of_kind(ast.Compare(value, [ast.NotEq()], [zero]), "mask", at)
        made: Node = vars(value).get("mask", is_true)
        return made

    def _call(self, node: ast.Call) -> Node:
        root, *names = path(node.func)
        name = names[0] if root in ROOTS and len(names) == 1 else root * (not names)
        if name in self.helpers:  # whatever torch has by that name
            return self.inline(name, node)
        node = self._with_settings(node)
        called, name = node.func, path(node.func)[-1]
        operands = [*([called.value] if self._is_method(called) else []), *node.args]  # type: ignore[attr-defined]
        if name == "float" and operands and ast.unparse(operands[0]).strip("'-") in ("inf", "Inf"):
            self.remark(node, WORDS("infinite"))
            return self._read_as(node, ast.Constant(-1e30 if "-" in ast.unparse(node) else 1e30))
        if isinstance(called, ast.Name) and name == "float" and not self.constant(operands[0]):
            return self._read_as(node, call("item", *operands))  # Python's own gives a number
        whole = WHOLE_NUMBERS.search(ast.unparse(node)) if name in ("to", "type") else None
        if whole and operands:
            name = "bool" if whole[1].lower() == "bool" else "long"
            if re.search("8|16|short|char|byte", whole[1].lower()):
                self.remark(node, WORDS("few_bits", name=whole[1]))
            return self._read_as(node, call(name, operands[0]))
        if operands and (name in WITHOUT_EFFECT or name in ("int", "long", "bool")):
            if name == "t" and self.is_matrix(operands[0]):
                return self._read_as(node, call("transpose", operands[0]))
            found = self.read(operands[0])
            if name == "bool":
                return self.as_mask(found, node)
            if name in WITHOUT_EFFECT or kind_of(found) == "mask":
                self._leave_out(node, name, operands)
                return self.as_number(found, node)
        if name in NUMBERS:
            return self._read_as(node, self._of_one_number(node, operands))
        if name in _LOGIC and len(operands) == 2:
            return self._read_as(node, ast.BinOp(operands[0], _LOGIC[name](), operands[1]))
        if name == "logical_not" and len(operands) == 1:
            return self._read_as(node, ast.UnaryOp(ast.Invert(), *operands))
        if name == "where" and len(operands) == 3 and self._is_method(called):
            return self._read_as(node, call("where", operands[1], operands[0], operands[2]))
        if name in ("max", "min") and len(operands) == 2 and names_in(operands[1]):
            return self._read_as(node, call(f"{name}imum", *operands))
        return self._in_place(node, name, operands)

    def _leave_out(self, node: ast.Call, name: str, operands: Sequence[ast.expr]) -> None:
        """Note that a call plays no part here, or warn that it gives its operand other axes."""
        sizes = operands[1:] if name in ("view", "reshape") else []
        sizes = getattr(sizes[0], "elts", sizes) if sizes else []
        adds_axes = len(sizes) > 1 or name in ("unsqueeze", "expand", "expand_as")
        if adds_axes or (name in SHAPES and self.is_matrix(operands[0])):
            self.warn_of_shape(node)
        else:
            self.left[name] = None

    def _in_place(self, node: ast.Call, name: str, operands: list[ast.expr]) -> Node:
        """Read a call; if it changes its operand in place, other names of that tensor go stale."""
        row = TABLE.get(name.removesuffix("_"))
        flags = [*node.args, *(keyword.value for keyword in node.keywords)]
        flag = row is not None and "inplace" in row.settings and "True" in map(ast.unparse, flags)
        if row is None or not (operands and (flag or name.endswith("_"))):
            return super()._call(node)
        inner = path(getattr(operands[0], "func", operands[0]))[-1]
        if inner.removesuffix("_") in KEEPS_OUTPUT:
            self._overwrites(node)
        changed = {} if inner.endswith("_") else self.changed(operands[0], node)
        made = ast.Call(ast.Name(row.name), operands, node.keywords)
        found = super()._call(with_place(ast.copy_location(made, node), node))
        self.stale |= changed
        return found

    def _of_one_number(self, node: ast.Call, operands: Sequence[ast.expr]) -> ast.expr:
        """Write torch.ones and the like with the shape that the code says, or warn."""
        name = path(node.func)[-1]
        if name.endswith("_like") and operands:
            return call("full_like", operands[0], ast.Constant(NUMBERS[name]))
        written = values_in(node, {})
        if self.written and written.startswith("["):
            return ast.parse(written, mode="eval").body
        if "," in written or (node.args and not written.startswith("[")):
            self.warn_of_shape(node)
        return ast.Constant(NUMBERS[name])

    def _with_settings(self, node: ast.Call) -> ast.Call:
        """The call, with the settings that the code gave the function before."""
        root, *names = path(node.func)
        name = names[0] if root in ROOTS and len(names) == 1 else ""  # of self.act(x)
        known = self.functions.get(self.clean(name) if names else root)
        made = self.module(node.func) or known or Partial(name)
        own = {keyword.arg for keyword in node.keywords}
        keywords = [*node.keywords, *(k for k in made.keywords if k.arg not in own)]
        func = ast.copy_location(ast.Name(made.name), node.func) if made.name else node.func
        return ast.copy_location(ast.Call(func, [*node.args, *made.given], keywords), node)

    def module(self, node: ast.expr) -> Partial | None:
        """The function that a module of torch.nn is: ``nn.MSELoss()`` is ``mse_loss``."""
        name = path(node.func)[-1] if isinstance(node, ast.Call) else ""
        if not isinstance(node, ast.Call) or not name[:1].isupper() or name in TABLE:
            return None
        found = _CLASSES.get(_squashed(name))
        return Partial(found, node.args, node.keywords) if found else None

    def applied(self, node: ast.expr) -> str:
        """The name of the autograd Function that ``Own.apply`` stands for; empty for others."""
        root, *names = path(node)
        return root if names == ["apply"] and root in self.own else ""

    def _is_method(self, called: ast.expr) -> bool:
        root = path(called)[0]
        return isinstance(called, ast.Attribute) and (root not in MODULES or root in self.renamed)

    def callee(self, called: ast.expr) -> tuple[str, list[ast.expr]]:
        if isinstance(called, ast.Name) and called.id in self.renamed:
            raise self.error(called, WORDS("no_function_before_brackets"))
        if isinstance(called, ast.Attribute) and self._is_method(called):
            return own_name(called.attr), [called.value]
        return super().callee(called)

    def _tensor(self, node: ast.Call) -> Node:
        if names_in(node.args[0]):
            return self._read_as(node, call("stop_gradient", node.args[0]))
        return super()._tensor(node)

    def function(self, node: ast.Call, row: Signature, operands: Sequence[ast.expr]) -> Node:
        if row.text == "stop_gradient(x)" and operands and not names_in(operands[0]):
            return self.read(operands[0])
        if row.name == "binary_cross_entropy":
            self.remark(node, WORDS("logarithm_limited"))
        if row.name == "norm":
            self.remark(node, WORDS("norm_at_0"))
        if row.name == "cross_entropy":
            given = self.bind(node, row, operands)
            target = self.read(given["t"])
            classes = values_in(given["t"], self.numbers)  # whole ones are no probabilities
            if kind_of(target) == "number" or (classes and not re.search(r"[.e]", classes)):
                raise self.error(given["t"], WORDS("only_numbers"))
            if isinstance(target, ast.Name) and target.id in self.inputs.keys() - {*self.there}:
                self.remark(node, WORDS("probabilities"))
        if row.name == "clamp":
            given = self.bind(node, row, operands)
            limits = {"low": ast.Lt(), "high": ast.Gt()}
            if any(names_in(given[limit]) for limit in limits if limit in given):
                made = compared = given["x"]
                for limit in (one for one in limits if one in given):
                    beyond = ast.Compare(compared, [limits[limit]], [given[limit]])
                    made = call("where", beyond, given[limit], made)
                    compared = call("maximum", compared, given[limit])  # high wins over low
                return self._read_as(node, made)
        found = super().function(node, row, operands)
        return _chosen(*children(found)) if row.name == "where" else found

    def writes_out(self, row: Signature, changed: Sequence[str]) -> bool:
        return bool(row.text)

    def bind(
        self, node: ast.Call, row: Signature, operands: Sequence[ast.expr]
    ) -> dict[str, ast.expr]:
        kept = [k for k in node.keywords if k.arg not in _NO_EFFECT and not _is_none(k.value)
                and not (k.arg == "dtype" and _FLOATS.search(ast.unparse(k.value)))]  # fmt: skip
        plain = ast.copy_location(ast.Call(node.func, node.args, kept), node)
        found = super().bind(plain, row, operands)
        matrix = bool(operands) and self.is_matrix(operands[0])
        for_lists = row.name in _LAST_AXIS or (bool(row.text) and "dim" in found)
        for_lists |= bool(_NO_EFFECT_ON_LIST.search(ast.unparse(node)))
        if (matrix and for_lists) or (row.name == "transpose" and not matrix):
            raise self.error(node, WORDS("takes_last_axis", signature=row.signature))
        needed = [parameter.name for parameter in row.parameters if not parameter.optional]
        for name, value in [*found.items()]:
            if name == "k":
                found[name] = self.settled.get(path(value)[-1]) or value
            if name in _NO_EFFECT or (_is_none(value) and name not in needed):
                del found[name]
            elif name in ("axis", "dim") and not matrix:
                if (code := ast.unparse(value)) not in ("0", "-1"):
                    self.remark(node, WORDS("one_axis", setting=f"dim={code}"))
                if code not in ("0", "-1") or name == "dim":
                    del found[name]
            elif name == "dim" and (ast.unparse(value), row.settings.get(name)) == ("1", "-1"):
                del found[name]
        return found

    def remark(self, node: ast.expr, said: str) -> None:
        self.remarks[node.lineno, said] = None

    def stand_in(self, node: ast.expr) -> Node:
        """Read a helper's call, or put an input in place of an unreadable expression."""
        part = node.value if isinstance(node, ast.Subscript) else node
        called, code = path(getattr(part, "func", part))[-1], ast.unparse(node)
        arguments = node.args if isinstance(node, ast.Call) else []
        called = self.applied(getattr(part, "func", part)) or called
        if called in self.helpers and isinstance(node, ast.Call):
            return self.inline(called, node)
        tricks = {*_PASSED_ON, *self.own}
        passed_on = any((calls_in(one) | names_in(one)) & tricks for one in arguments)
        if (called in self.layers or passed_on) and len(arguments) == 1:
            operand, line = self.operand(arguments[0]), node.lineno
            weight = self.stand_ins.get(called) or self.input(self.fresh(f"{called}_weight"))
            self.stand_ins[called] = weight
            self.why[weight] = lambda name: (line, WORDS("layer", layer=called, input=name))
            factor = of_kind(ast.Name(weight), "tensor", node)
            return self._operator(ast.BinOp(factor, ast.Mult(), operand), node)
        known = (f"{self.renamed.get(name)}" for name in sorted(names_in(node)))
        given = [*arguments, *(k.value for k in getattr(node, "keywords", []) if k.arg in _RANGE)]
        ends = [number_in(one) for one in given if not _is_shape(one)]
        standard = called[:4] == "rand" or all(
            end and float(end) == usual for end, usual in zip(ends, (0, 1), strict=False)
        )
        noise = NOISE.get(called, "") if standard and isinstance(node, ast.Call) else ""
        drawn = (node.lineno, node.col_offset, len(self.inlined)) if noise else ()
        key = " ".join([code, *known, *map(str, drawn)])  # each draw is an input of its own
        if key not in self.stand_ins:
            said = with_hint(WORDS("unread", code=visible(code, 48)), node)
            self.unread = self.unread or (node, said)
            first = next(iter(arguments), None)
            of = f"_{self.renamed.get(first.id, first.id)}" if isinstance(first, ast.Name) else ""
            name = self.fresh("noise" if noise else f"{called}{of}")
            self.why[name] = input_note(node, visible(code, 48), noise)
            self.stand_ins[key] = self.input(name, noise)
            read = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
            source = next((one for one in read if one not in {*MODULES, *ROOTS}), "")
            self.shape_source[name] = self.renamed.get(source, source)
            self.noise_calls |= {name: node} if noise and isinstance(node, ast.Call) else {}
        return of_kind(ast.Name(self.stand_ins[key]), "tensor", node)

    def input(self, name: str, values: str = "") -> str:
        """Make a name an input, and return it."""
        self.names.setdefault(name, "tensor")
        self.inputs[name] = values or self.inputs.get(name, "")
        return name

    def clean(self, name: str) -> str:
        """The name as the language can have it: of letters a to z, none of its functions'."""
        letters = (c if c.isascii() else unicodedata.name(c, "x").split()[-1].lower() for c in name)
        made = re.sub(r"\W", "", "".join(letters)).strip("_")[: MAX_NAME - 3] or "x"
        return f"{made}_" if made in (*CALLABLE, *OUR_NAMES, *MODULES, *kwlist) else made

    def fresh(self, name: str) -> str:
        """A name that nothing has yet: each is given once."""
        first = self.clean(name)
        made = (f"{first}{count}" if count > 1 else first for count in itertools.count(1))
        return next(one for one in made if one not in self.names)


def call(name: str, *arguments: ast.expr) -> ast.Call:
    """Write a call of a function of the language."""
    return ast.Call(ast.Name(name), [*arguments], [])


def _chosen(mask: Node, a: Node, b: Node) -> Node:
    """Write a where; for combined masks one each, if that repeats nothing longer than a name."""
    if (choose := vars(mask).get("choose")) and all(len([*walk(one)]) < 3 for one in (a, b)):
        made: Node = choose(a, b)
        return made
    return of_kind(ast.Call(ast.Name("where"), [mask, a, b], []), "tensor", mask)


def first_line(node: ast.AST) -> str:
    """The first line of some code, cut short."""
    return visible(ast.unparse(node).partition("\n")[0], 90)


def is_data(node: ast.expr) -> bool:
    """Whether an expression is ``x.data``, which autograd doesn't watch."""
    return isinstance(node, ast.Attribute) and node.attr == "data"


def is_mask(node: ast.AST | None, known: Mapping[str, ast.expr]) -> bool:
    """Whether an expression picks entries, as the index of ``x[x > 0]`` does.

    Args:
        known: what names and attributes stand for.
    """
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):  # True + True is True in torch
        return is_mask(node.left, known) and is_mask(node.right, known)
    if isinstance(node, ast.UnaryOp | ast.BinOp):
        return isinstance(node.op, ast.Invert | ast.BitAnd | ast.BitOr)
    if isinstance(node, ast.Name | ast.Attribute):
        return is_mask(known.get(path(node)[-1]), {})
    called = path(node.func)[-1] if isinstance(node, ast.Call) else ""
    row = TABLE.get(called)
    compares = row is not None and isinstance(row.text and row.written_out(), ast.Compare)
    return isinstance(node, ast.Compare) or compares or called in {*_LOGIC, "logical_not", "bool"}


def replaced(target: ast.Subscript, value: ast.expr) -> ast.Call:
    """Write ``x[mask] = value`` as a where."""
    return call(
        "where", target.slice, _Whole(target.slice).visit(copy.deepcopy(value)), target.value
    )


class _Whole(ast.NodeTransformer):
    """Writes x for ``x[mask]``."""

    def __init__(self, mask: ast.expr) -> None:
        self.mask = ast.unparse(mask)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        return node.value if ast.unparse(node.slice) == self.mask else node


def _is_shape(node: ast.expr) -> bool:
    """Whether an argument of a draw is a shape, and no number."""
    asks = re.search(r"\.(size|shape)\b|\bshape\(", ast.unparse(node))
    return bool(asks) or isinstance(node, ast.Tuple | ast.List)


def names_in(node: ast.AST) -> set[str]:
    """The names that an expression reads."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def calls_in(node: ast.AST) -> set[str]:
    """The functions and methods that a piece of code calls."""
    return {path(part.func)[-1] for part in ast.walk(node) if isinstance(part, ast.Call)}


def at(line: int, said: str) -> str:
    """A sentence on a line of the code, with its number in front."""
    return WORDS("of_your_code", line=line, said=said) if line else said


def with_hint(said: str, node: ast.AST) -> str:
    """A sentence, and what to write instead of the first thing that the language has a word on."""
    # A plain name that is not called is the code's own, whatever torch has by that name.
    heads = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    parts = [part for part in ast.walk(node) if isinstance(part, ast.Attribute) or part in heads]
    names = [path(part)[-1] for part in parts]
    others = (n for n in names[1:] if n in INSTEAD and n not in _WITHOUT_HINT)
    hint = instead(names[0]) if names and names[0] not in _WITHOUT_HINT else ""
    return f"{said} {hint or INSTEAD.get(next(others, ''), '')}".rstrip()


def input_note(node: ast.expr | ast.stmt, code: str, noise: str = "", changed: bool = False) -> Why:
    """Say, for an input's name, that it stands for this code; without a name, that nothing does."""

    def say(name: str) -> tuple[int, str]:
        if not name:
            return node.lineno, WORDS("unread_output", code=code)
        if noise:
            return node.lineno, WORDS("drawn", code=code, input=name, noise=noise)
        if changed:
            return node.lineno, WORDS("changed", code=code, input=name)
        return node.lineno, with_hint(WORDS("unread_input", code=code, input=name), node)

    return say


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def number_in(node: ast.AST | None) -> str:
    """A number that is written out, as text; empty for anything else."""
    written = ast.unparse(node) if isinstance(node, ast.Constant | ast.UnaryOp) else ""
    return written if re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?", written) else ""


def values_in(node: ast.expr, known: Mapping[str, str] | None = None) -> str:
    """The numbers of a tensor that is written out, as in torch.tensor([1.0, 2.0]).

    Args:
        known: the numbers of names; None if neither a name nor torch.zeros(2) will do.
    """
    called = path(node.func)[-1] if isinstance(node, ast.Call) else ""
    if isinstance(node, ast.Name):
        return (known or {}).get(node.id, "")
    if not isinstance(node, ast.Call):
        return ""
    if called in TENSORS and node.args and isinstance(node.args[0], ast.Call | ast.Name):
        return values_in(node.args[0], known)
    if called in TENSORS and node.args:
        written = ast.unparse(node.args[0])
        return written if re.fullmatch(r"[-+\d\s.,e\[\]]+", written) else ""
    if called in {*WITHOUT_EFFECT, "clone", "detach"} and isinstance(node.func, ast.Attribute):
        return values_in(node.func.value, known)  # of torch.tensor(…).requires_grad_()
    value = str(NUMBERS.get(called, "")) if known is not None else ""
    sizes = [number_in(size) for size in node.args]
    if len(sizes) < 3 and all(re.fullmatch(r"[1-9]|[1-5]\d", size) for size in sizes):
        for size in reversed(sizes if value else []):
            value = f"[{', '.join([value] * int(size))}]"
    return value


def unwrapped(node: ast.expr) -> ast.expr:
    """The value that a parameter or a tensor is made of, as in nn.Parameter(torch.ones(3))."""
    called = path(node.func)[-1] if isinstance(node, ast.Call) else ""
    if called in NUMBERS:
        return ast.Constant(NUMBERS[called])
    wrapper = isinstance(node, ast.Call) and called in {*WITHOUT_EFFECT, *TENSORS} and node.args
    return unwrapped(wrapper[0]) if wrapper else node
