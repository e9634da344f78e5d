r"""Op types that are not elementwise: the vector-Jacobian product for each operand, in LaTeX.

Data. `\bar{x}` is the gradient of x, `@a`, `@b`, … the operands by place and `@z` the output; the
last text stands for all operands after it.
"""

from lessons.gradient_tricks.text.words import Texts
from lessons.kit.formulas.symbols import said

WORDS = Texts(__file__)

_NONE = said(WORDS("no_gradient"))
_ELSEWHERE = said(WORDS("elsewhere"))
_TAKEN = r"\bar{@a}_{j} = \sum_{i\,:\,z_i = a_j}\bar{@z}_{i},\quad " + _ELSEWHERE

PRODUCTS: dict[str, tuple[str, ...]] = {
    "softmax": (r"\bar{@a} = @z\odot\left(\bar{@z} - \langle\bar{@z}, @z\rangle\right)",),
    "log_softmax": (r"\bar{@a} = \bar{@z} - e^{@z}\sum_i \bar{@z}_i",),
    "logsumexp": (r"\bar{@a} = \bar{@z}\cdot\operatorname{softmax}(@a)",),
    "matmul": (r"\bar{@a} = \bar{@z}\,@b^{\top}", r"\bar{@b} = @a^{\top}\,\bar{@z}"),
    "cross_entropy": (
        r"\bar{@a} = \bar{@z}\cdot\frac{1}{N}\left(\operatorname{softmax}(@a)"
        r" - \operatorname{onehot}(@b)\right)",
        r"\bar{@b} = -\bar{@z}\cdot\frac{1}{N}\log\operatorname{softmax}(@a)\ "
        + said(WORDS("if_distribution")),
    ),
    "mse_loss": (
        r"\bar{@a} = \bar{@z}\cdot\frac{2}{N}(@a - @b)",
        r"\bar{@b} = -\bar{@z}\cdot\frac{2}{N}(@a - @b)",
    ),
    "sum": (r"\bar{@a}_{i} = \bar{@z}\cdot 1",),
    "mean": (r"\bar{@a}_{i} = \bar{@z}\cdot\frac{1}{N}",),
    "topk": (_TAKEN,),
    "stack": (r"\bar{@a} = " + said(WORDS("slice_of")),),
    "unbind": (r"\bar{@a} = \operatorname{stack}(\bar{@z}_0, \bar{@z}_1, \dots)",),
    "transpose": (r"\bar{@a} = \bar{@z}^{\top}",),
    "expand": (r"\bar{@a} = \sum_{" + said(WORDS("expanded_axes")) + r"}\bar{@z}",),
    **dict.fromkeys(("getitem", "select"), (_TAKEN,)),
    # The tricks: no derivative of anything, which is the point.
    "flip_gradient": (r"\bar{@a} = -@scale\cdot\bar{@z}",),
    "scale_gradient": (r"\bar{@a} = @factor\cdot\bar{@z}",),
    "clip_gradient": (r"\bar{@a} = \min(\max(\bar{@z},\,@low),\,@high)",),
    "clip_gradient_norm": (
        r"\bar{@a} = \bar{@z}\cdot\min\left(1,\,\frac{@limit}{\lVert\bar{@z}\rVert}\right)",
    ),
    "straight_through": (r"\bar{@a} = \bar{@z}", r"\bar{@b} = " + _NONE),
    "forward_backward": (
        r"\bar{@a} = \bar{@z}\cdot\frac{\partial g}{\partial @a}\quad" + said(WORDS("surrogate")),
    ),
}

TRICK_ARGUMENTS = {
    "flip_gradient": ("scale=1",),
    "scale_gradient": ("factor",),
    "clip_gradient": ("low", "high"),
    "clip_gradient_norm": ("limit",),
}
"""The plain arguments of a trick after its tensor, by the name that its text uses."""
