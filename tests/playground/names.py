"""Names that could collide with something in a generated file, and programs that use each of them.

The list is fixed, so that a program made of it stays the same: ``make verify-equivalents`` runs
them all in TensorFlow and JAX. test_names.py adds what stands in the files of today.
"""

import keyword
from collections.abc import Sequence
from itertools import pairwise

from lessons.playground import Document, Input, Override
from lessons.playground.language.functions import CALLABLE

_WORDS = """
False None True and as assert async await break class continue def del elif else except finally
for from global if import in is lambda nonlocal not or pass raise return try while with yield
_ case match type

abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile
complex copyright credits delattr dict dir divmod enumerate eval exec exit filter float format
frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len license
list locals map max memoryview min next object oct open ord pow print property quit range repr
reversed round set setattr slice sorted staticmethod str sum super tuple vars zip Ellipsis
NotImplemented ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup
BlockingIOError BrokenPipeError BufferError EOFError Exception ExceptionGroup FloatingPointError
GeneratorExit IOError ImportError IndexError KeyError KeyboardInterrupt LookupError MemoryError
NameError OSError OverflowError RecursionError ReferenceError RuntimeError StopIteration
SyntaxError SystemExit TimeoutError TypeError UnboundLocalError UnicodeError UserWarning ValueError
Warning ZeroDivisionError

torch nn functional autograd tensor Tensor grad no_grad float64 float32 float16 bfloat16 double
dtype device ones zeros ones_like zeros_like full arange linspace rand randn manual_seed
set_default_dtype einsum cat stack clone cuda jit fx func vmap utils optim overrides compiler
requires_grad backward detach to item shape size view reshape argmax one_hot allow_unused

numpy np array asarray ndarray newaxis nan inf pi e random linalg dot outer mod sin cos log exp add
subtract multiply divide power where clip

tensorflow tf keras constant Variable Module Graph Session GradientTape tape watch cast
reduce_sum reduce_mean custom_gradient function identity stop_gradient clip_by_value norm
convert_to_tensor math compat v1 summary config

jax jnp lax vjp jvp grad_fn value_and_grad custom_vjp defvjp defjvp jacfwd jacrev tree_util
dtypes float0 issubdtype floating update jax_enable_x64 pmap scan cond

sys argv path modules stdout stderr stdin version platform maxsize gc os io re json dumps loads
difflib functools inspect numbers operator threading warnings contextlib itertools collections
Counter Callable Generator Hashable Iterable Iterator Mapping Sequence ContextVar typing Any
NamedTuple ParamSpec TypeVar partial wraps reduce traceback

program inputs output outputs gradients gradient found forward trick_gradient name names rule
rule_1 rule_2 rule_3 rule_12 op upstream grad1 grad2 in1 in2 out1 p1 p2 p3 pull_back total NAMES
NAMED DTYPE OUTPUT INPUTS VALUE value values overridden changed change nothing run trick surrogate
saved arrived each whole shortened factor max_norm low high f g s x y n b c
gradient_override_map override_gradients register_gradient fresh_registry op_types
checkpoint_context TrickError ClipGradient ClipGradientNorm FlipGradient ForwardBackward
ScaleGradient StopGradient StraightThrough

check code emit preset document bundle export lessons tricks cut train learner app pages registry
Op OpType OP_TYPES SPELLINGS Spelling Call Rule Binding Operand Slot Missing Tensors MapEntry
OverrideReport T P NAMES_ listed describe require_tensor run_function fitting resolve nearest
unmatched current_map refuse_compiling swap put_back shown one_op read_map take_out builtin_rule
registered_rule registered_names checked_gradients run_overridden rule_name maps_suspended

a d h i j k l m o q r t u v w z A B C D E F G H I J K L M N O Q R S U V W X Y Z
x1 x_1 x__ a_ torch_ torch__ tf_ jnp_ tuple_ overridden_ rule_1_ rule_2_ p1_ output_ inputs_ self
cls main doctest annotations unicode long xrange basestring nil null undefined this new var let
const void
"""

NAMES = tuple(dict.fromkeys(_WORDS.split()))
LOOKALIKES = (
    "х", "ｘ", "𝑥", "µ", "λ", "é", "ﬁ", "ª", "x²", "x́", "x\u200b", "tоrch", "ſum",
    "_", "__", "_x", "_torch", "__name__", "__debug__", "__class__", "__builtins__", "__file__",
)  # fmt: skip
"""What the language has no way to write: other alphabets, and an underscore in front."""

_BASE = """\
line_1 = straight_through(round)(start) + forward_backward(onehot_argmax, softmax)(start)
line_2 = clip_gradient(flip_gradient(start), -1, 1) + scale_gradient(line_1, 3) + step(start)
line_3, line_4, line_5 = unbind(start + onehot_sample(softmax(start), 0.4))
line_6, line_7 = py_func(start * 2 + line_3, start * line_4)
line_8 = identity(line_6 * line_7) + where(start > 0, relu(start), 1) + clamp(start, -1, 2)
line_9 = forward_backward(sign, softplus)(line_8) + clip_gradient_norm(line_2, 2) * start
"""  # every name that a file reads of itself is read here
_OVERRIDES = (
    Override("tanh", "grad * (1 - out1)"),
    Override("identity", "clip", ("line_8",)),
    Override("py_func", "grad1 * 2 + grad2, None, None", ("line_6",)),
)
_START = Input("start", (-1.5, 0.75, 1.25))
_GIVEN = 11
_MADE = 60


def usable(names: Sequence[str]) -> list[str]:
    """Those that are no word of Python's and no function of the language."""
    return [
        one for one in names if not keyword.iskeyword(one) and one not in CALLABLE and one != "_"
    ]


def as_inputs(names: Sequence[str]) -> Document:
    """A program of eleven inputs with these names, each of which the gradient reaches."""
    assert len(names) == _GIVEN
    given = (Input(name, 0.5 + place / 8) for place, name in enumerate(names))
    together = f"line_10 = py_func(softplus({names[0]}) + {' + '.join(names[1:])})"
    lines = [f"tanh({name}) * {place} * start" for place, name in enumerate(names, start=1)]
    program = f"{_BASE}{together}\nline_11 = line_9 * line_10 + {' + '.join(lines)}"
    return Document((_START, *given), program, overrides=_OVERRIDES)


def as_results(names: Sequence[str]) -> Document:
    """A program of sixty lines that give these names, each of which the output reads."""
    assert len(names) == _MADE
    lines = [f"{names[0]} = py_func(softplus(start)) + tanh(line_9)"]
    lines += [f"{name} = {before} * 0.9 + start" for before, name in pairwise(names)]
    return Document((_START,), _BASE + "\n".join(lines), names[-1], _OVERRIDES)


def documents(names: Sequence[str]) -> list[tuple[Document, Document]]:
    """Programs with each usable name as an input and as a result; beside each, the plain one."""
    found = []
    for write, size in ((as_inputs, _GIVEN), (as_results, _MADE)):
        plain = write([f"plain_{place}" for place in range(size)])
        some = usable(names)
        some += some[: -len(some) % size]
        found += [(write(some[at : at + size]), plain) for at in range(0, len(some), size)]
    return found
