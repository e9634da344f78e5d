r"""Op types that are not elementwise: the vector-Jacobian product for each operand, in LaTeX.

Data. `\bar{x}` is the gradient of x, `@a`, `@b`, … the operands by place and `@z` the output; the
last text stands for all operands after it. `0` stands for: this operand never gets a gradient.
"""

from lessons.gradient_tricks.text.words import Texts
from lessons.kit.formulas.symbols import said

WORDS = Texts(__file__)

_NONE = said(WORDS("no_gradient"))
_INTEGERS = said(WORDS("of_integers"))
_ELSEWHERE = said(WORDS("elsewhere"))
_BATCH = rf"\sum_{{{said(WORDS('batch'))}}}"
_BATCH_AND_PLACES = rf"\sum_{{{said(WORDS('batch_and_places'))}}}"
_MOVED = r"\bar{@a}_{j} = \bar{@z}_{i}\ " + said(WORDS("moved"))
_RESHAPED = r"\bar{@a} = \operatorname{reshape}(\bar{@z},\," + said(WORDS("shape_of")) + ")"
_TAKEN = r"\bar{@a}_{j} = \sum_{i\,:\,z_i = a_j}\bar{@z}_{i},\quad " + _ELSEWHERE
_CHOSEN = r"\bar{@a}_{j} = \bar{@z}\ " + said(WORDS("chosen")) + r",\quad " + _ELSEWHERE
_SHARED = r"\bar{@a}_{j} = \frac{\bar{@z}}{n}\ " + said(WORDS("shared"))
_CONVOLUTION = (
    r"\bar{@a} = \bar{@z} \star^{\top} @b",
    r"\bar{@b} = @a \star \bar{@z}",
    r"\bar{@c} = " + _BATCH_AND_PLACES + r"\bar{@z}",
)
_NORMALISED = (
    r"\bar{@a} = \frac{1}{\sigma}\left(g - \overline{g} - \hat a\,\overline{g\,\hat a}\right),"
    r"\quad g = \gamma\,\bar{@z},\ \hat a = \frac{@a - \mu}{\sigma}"
)

PRODUCTS: dict[str, tuple[str, ...]] = {
    "stop_gradient": (r"\bar{@a} = " + _NONE,),
    "py_func": (r"\bar{@a} = " + _NONE,),
    "floor_divide": (said(WORDS("raises")),),
    "softmax": (r"\bar{@a} = @z\odot\left(\bar{@z} - \langle\bar{@z}, @z\rangle\right)",),
    "log_softmax": (r"\bar{@a} = \bar{@z} - e^{@z}\sum_i \bar{@z}_i",),
    "logsumexp": (r"\bar{@a} = \bar{@z}\cdot\operatorname{softmax}(@a)",),
    "matmul": (r"\bar{@a} = \bar{@z}\,@b^{\top}", r"\bar{@b} = @a^{\top}\,\bar{@z}"),
    "outer": (r"\bar{@a} = \bar{@z}\,@b", r"\bar{@b} = \bar{@z}^{\top}@a"),
    "addmm": (
        r"\bar{@a} = \bar{@z}",
        r"\bar{@b} = \bar{@z}\,@c^{\top}",
        r"\bar{@c} = @b^{\top}\,\bar{@z}",
    ),
    "einsum": (
        r"\bar{@a} = \operatorname{einsum}(\bar{@z},\,"
        + said(WORDS("other_operands"))
        + r"),\ "
        + said(WORDS("indices_kept")),
    ),
    "linear": (
        r"\bar{@a} = \bar{@z}\,@b",
        r"\bar{@b} = \bar{@z}^{\top}@a",
        r"\bar{@c} = " + _BATCH + r"\bar{@z}",
    ),
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), _CONVOLUTION),
    "conv_transpose2d": (
        r"\bar{@a} = \bar{@z} \star @b",
        r"\bar{@b} = \bar{@z} \star @a",
        r"\bar{@c} = " + _BATCH_AND_PLACES + r"\bar{@z}",
    ),
    "max_pool2d": (
        r"\bar{@a}_{j} = \sum_{i\,:\,j = \arg\max\ " + said(WORDS("of_window")) + r"}\bar{@z}_{i}",
    ),
    "avg_pool2d": (
        r"\bar{@a}_{j} = \sum_{"
        + said(WORDS("windows"))
        + r"\ i\ni j}\frac{\bar{@z}_{i}}{"
        + said(WORDS("window_size"))
        + "}",
    ),
    "batch_norm": (
        _NORMALISED,
        r"\bar{@b} = " + _NONE,
        r"\bar{@c} = " + _NONE,
        r"\bar{@d} = " + _BATCH + r"\bar{@z}\odot\hat a",
        r"\bar{@e} = " + _BATCH + r"\bar{@z}",
    ),
    "layer_norm": (
        _NORMALISED,
        r"\bar{@b} = " + _BATCH + r"\bar{@z}\odot\hat a",
        r"\bar{@c} = " + _BATCH + r"\bar{@z}",
    ),
    "normalize": (
        r"\bar{@a} = \frac{1}{\lVert @a\rVert}"
        r"\left(\bar{@z} - @z\,\langle @z, \bar{@z}\rangle\right)",
    ),
    "embedding": (
        r"\bar{@a} = " + _INTEGERS,
        r"\bar{@b}_{k} = \sum_{i\,:\,@a_i = k}\bar{@z}_{i}",
    ),
    "cross_entropy": (
        r"\bar{@a} = \bar{@z}\cdot\frac{1}{N}\left(\operatorname{softmax}(@a)"
        r" - \operatorname{onehot}(@b)\right)",
        r"\bar{@b} = -\bar{@z}\cdot\frac{1}{N}\log\operatorname{softmax}(@a)\ "
        + said(WORDS("if_distribution")),
    ),
    "nll_loss": (
        r"\bar{@a}_{n,k} = -\frac{\bar{@z}}{N}\,\mathbf{1}[k = @b_n]",
        r"\bar{@b} = " + _INTEGERS,
    ),
    "mse_loss": (
        r"\bar{@a} = \bar{@z}\cdot\frac{2}{N}(@a - @b)",
        r"\bar{@b} = -\bar{@z}\cdot\frac{2}{N}(@a - @b)",
    ),
    "l1_loss": (
        r"\bar{@a} = \bar{@z}\cdot\frac{1}{N}\operatorname{sign}(@a - @b)",
        r"\bar{@b} = -\bar{@z}\cdot\frac{1}{N}\operatorname{sign}(@a - @b)",
    ),
    "sum": (r"\bar{@a}_{i} = \bar{@z}\cdot 1",),
    "mean": (r"\bar{@a}_{i} = \bar{@z}\cdot\frac{1}{N}",),
    "prod": (r"\bar{@a}_{i} = \bar{@z}\cdot\prod_{j\neq i}@a_j",),
    "max": (_CHOSEN,),
    "min": (_CHOSEN,),
    "amax": (_SHARED,),
    "amin": (_SHARED,),
    "var": (r"\bar{@a}_{i} = \bar{@z}\cdot\frac{2}{N-\delta}\,(@a_i - \overline{@a})",),
    "std": (r"\bar{@a}_{i} = \bar{@z}\cdot\frac{@a_i - \overline{@a}}{(N-\delta)\,@z}",),
    "norm": (r"\bar{@a} = \bar{@z}\cdot\frac{@a}{\lVert @a\rVert}",),
    "cumsum": (r"\bar{@a}_{i} = \sum_{j\ge i}\bar{@z}_{j}",),
    "cumprod": (r"\bar{@a}_{i} = \sum_{j\ge i}\bar{@z}_{j}\,\prod_{k\le j,\,k\neq i}@a_k",),
    "topk": (_TAKEN,),
    "sort": (_MOVED,),
    "cat": (r"\bar{@a} = " + said(WORDS("stretch_of")),),
    "stack": (r"\bar{@a} = " + said(WORDS("slice_of")),),
    "unbind": (r"\bar{@a} = \operatorname{stack}(\bar{@z}_0, \bar{@z}_1, \dots)",),
    **dict.fromkeys(
        ("split", "chunk"), (r"\bar{@a} = \operatorname{cat}(\bar{@z}_0, \bar{@z}_1, \dots)",)
    ),
    **dict.fromkeys(("reshape", "view", "flatten", "squeeze", "unsqueeze"), (_RESHAPED,)),
    "transpose": (r"\bar{@a} = \bar{@z}^{\top}",),
    "permute": (r"\bar{@a} = \operatorname{permute}^{-1}(\bar{@z})",),
    "expand": (r"\bar{@a} = \sum_{" + said(WORDS("expanded_axes")) + r"}\bar{@z}",),
    "repeat": (r"\bar{@a} = \sum_{" + said(WORDS("copies")) + r"}\bar{@z}",),
    "flip": (r"\bar{@a} = \operatorname{flip}(\bar{@z})",),
    "roll": (r"\bar{@a} = \operatorname{roll}^{-1}(\bar{@z})",),
    "pad": (r"\bar{@a} = \bar{@z}\ " + said(WORDS("without_padding")),),
    **dict.fromkeys(("getitem", "select", "narrow", "gather", "index_select"), (_TAKEN,)),
    **dict.fromkeys(
        ("tril", "triu"),
        (r"\bar{@a} = \bar{@z}\ " + said(WORDS("on_triangle")) + r",\ " + _ELSEWHERE,),
    ),
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
