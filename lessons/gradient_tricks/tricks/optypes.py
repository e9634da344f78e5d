"""The op types: torch's name, TensorFlow's names, every spelling, and autograd's nodes.

One row is one op type. Columns: torch's name | TensorFlow's names, the current one first (a dash
where TensorFlow has no such op) | spellings | the graph nodes that no other type has. A spelling
is looked up in torch, torch.Tensor, torch.nn.functional, torch.special, torch.linalg, torch.nn
and operator; `~` marks one whose first two arguments stand the other way round, `.` an
attribute. In-place forms (`mul_`, `__imul__`) are found by themselves. To add an op type, add a
row. What a call or a key means is worked out in lookup.py.
"""

_TABLE = """
identity        | Identity | | _Identity
stop_gradient   | StopGradient | detach |
py_func         | PyFunc PyFuncStateless EagerPyFunc | |
add             | AddV2 Add AddN BiasAdd | add __add__ __radd__ | Add
sub             | Sub | sub subtract __sub__ ~__rsub__ ~rsub | Sub Rsub
mul             | Mul | mul multiply __mul__ __rmul__ | Mul
div | RealDiv Div | div divide true_divide truediv __truediv__ ~__rdiv__ ~__rtruediv__ | Div
floor_divide    | FloorDiv | floor_divide floordiv __floordiv__ ~__rfloordiv__ |
remainder       | FloorMod Mod | remainder mod __mod__ ~__rmod__ | Remainder
fmod            | TruncateMod | fmod | Fmod
pow             | Pow | pow __pow__ ~__rpow__ |
square          | Square | square |
sqrt            | Sqrt | sqrt | Sqrt
rsqrt           | Rsqrt | rsqrt | Rsqrt
reciprocal      | Reciprocal Inv | reciprocal | Reciprocal
neg             | Neg | neg negative __neg__ | Neg
abs             | Abs | abs absolute __abs__ | Abs
sign            | Sign | sign | Sign
round           | Round Rint | round | Round
floor           | Floor | floor | Floor
ceil            | Ceil | ceil | Ceil
trunc           | - | trunc fix | Trunc
exp             | Exp | exp | Exp
expm1           | Expm1 | expm1 | Expm1
log             | Log | log | Log
log1p           | Log1p | log1p | Log1P
log2            | - | log2 | Log2
log10           | - | log10 | Log10
xlogy           | Xlogy | xlogy | Xlogy
sin             | Sin | sin | Sin
cos             | Cos | cos | Cos
tan             | Tan | tan | Tan
asin            | Asin | asin arcsin | Asin
acos            | Acos | acos arccos | Acos
atan            | Atan | atan arctan | Atan
atan2           | Atan2 | atan2 arctan2 | Atan2
sinh            | Sinh | sinh | Sinh
cosh            | Cosh | cosh | Cosh
tanh            | Tanh | tanh Tanh | Tanh
sigmoid         | Sigmoid | sigmoid expit Sigmoid | Sigmoid
erf             | Erf | erf | Erf
erfc            | Erfc | erfc | Erfc
lgamma          | Lgamma | lgamma gammaln | Lgamma
relu            | Relu | relu ReLU | Relu
relu6           | Relu6 | relu6 ReLU6 |
hardtanh        | - | hardtanh Hardtanh |
leaky_relu      | LeakyRelu | leaky_relu LeakyReLU | LeakyRelu
elu             | Elu | elu ELU |
selu            | Selu | selu SELU |
gelu            | - | gelu GELU | Gelu
silu            | - | silu SiLU | Silu
softplus        | Softplus | softplus Softplus | Softplus
softsign        | Softsign | softsign Softsign |
softmax         | Softmax | softmax Softmax | Softmax
log_softmax     | LogSoftmax | log_softmax LogSoftmax | LogSoftmax
logsumexp       | - | logsumexp | Logsumexp
dropout         | - | dropout Dropout |
maximum         | Maximum | maximum | Maximum
minimum         | Minimum | minimum | Minimum
clamp           | ClipByValue | clamp clip clamp_min clamp_max | Clamp ClampMin ClampMax
where           | SelectV2 Select | where | Where
masked_fill     | - | masked_fill | MaskedFill
matmul | MatMul BatchMatMulV2 | matmul mm bmm mv dot __matmul__ ~__rmatmul__ | Mm Bmm Mv Dot
outer           | - | outer ger |
addmm           | - | addmm | Addmm
einsum          | Einsum | einsum |
linear          | - | linear Linear |
conv1d          | - | conv1d Conv1d |
conv2d          | Conv2D | conv2d Conv2d |
conv3d          | Conv3D | conv3d Conv3d |
conv_transpose2d | Conv2DBackpropInput | conv_transpose2d ConvTranspose2d |
max_pool2d      | MaxPool MaxPoolV2 | max_pool2d MaxPool2d | MaxPool2DWithIndices
avg_pool2d      | AvgPool | avg_pool2d AvgPool2d | AvgPool2D
batch_norm      | FusedBatchNormV3 | batch_norm BatchNorm2d | NativeBatchNorm CudnnBatchNorm
layer_norm      | - | layer_norm LayerNorm | NativeLayerNorm
normalize       | - | normalize |
embedding       | ResourceGather | embedding Embedding | Embedding
cross_entropy | SparseSoftmaxCrossEntropyWithLogits SoftmaxCrossEntropyWithLogits | cross_entropy |
nll_loss        | - | nll_loss NLLLoss | NllLoss
mse_loss        | - | mse_loss MSELoss | MseLoss
l1_loss         | - | l1_loss L1Loss |
sum             | Sum | sum | Sum
mean            | Mean | mean | Mean
prod            | Prod | prod | Prod
max             | Max | max | Max
min             | Min | min | Min
amax            | Max | amax | Amax
amin            | Min | amin | Amin
var             | - | var | Var
std             | - | std | Std
norm            | EuclideanNorm | norm vector_norm | LinalgVectorNorm
cumsum          | Cumsum | cumsum | Cumsum
cumprod         | Cumprod | cumprod | Cumprod
topk            | TopKV2 TopK | topk | Topk
sort            | - | sort | Sort
cat             | ConcatV2 Concat | cat concat concatenate | Cat
stack           | Pack | stack | Stack
unbind          | Unpack | unbind | Unbind
split           | Split SplitV | split split_with_sizes | SplitWithSizes
chunk           | Split | chunk |
reshape         | Reshape | reshape reshape_as |
view            | Reshape | view view_as |
flatten         | Reshape | flatten Flatten |
transpose       | Transpose | transpose swapaxes swapdims t .mT | Transpose T
permute         | Transpose | permute movedim .T | Permute
squeeze         | Squeeze | squeeze | Squeeze
unsqueeze       | ExpandDims | unsqueeze | Unsqueeze
expand          | BroadcastTo | expand expand_as broadcast_to | Expand
repeat          | Tile | repeat tile | Repeat
flip            | ReverseV2 | flip | Flip
roll            | Roll | roll | Roll
pad             | PadV2 Pad MirrorPad | pad | ConstantPadNd
getitem         | StridedSlice Slice | __getitem__ getitem | Index
select          | StridedSlice | select |
narrow          | Slice | narrow |
gather          | GatherV2 Gather | gather | Gather
index_select    | GatherV2 Gather | index_select | IndexSelect
tril            | MatrixBandPart | tril | Tril
triu            | MatrixBandPart | triu | Triu
to              | Cast | to float double half bfloat16 cpu cuda | ToCopy
clone           | DeepCopy | clone | Clone
"""


class OpType:
    """One row of the table: torch's name, TensorFlow's names, the spellings, the graph nodes."""

    def __init__(self, row: str) -> None:
        name, tensorflow, spellings, nodes = (column.split() for column in row.split("|"))
        self.name = name[0]
        self.tensorflow = tuple(word for word in tensorflow if word != "-")
        self.spellings = tuple(spellings)
        self.nodes = tuple(nodes)


OP_TYPES = {row.split()[0]: OpType(row) for row in _TABLE.strip().splitlines()}


def op_types() -> dict[str, str | None]:
    """Every op type known: torch's name → TensorFlow's name, None where it has no such op.

    Both are keys for `gradient_override_map`, as are TensorFlow's older names (`Add` for `AddV2`)
    and the torch callables. A TensorFlow name that covers several of torch's types stands for
    all of them (`Reshape`: reshape, view, flatten). `mm`, `bmm` and `mv` are spellings of
    `matmul`. `linear`, `normalize`, `cross_entropy` and the like are types of their own: only
    the outermost torch call is seen, not the `matmul` or `div` inside. Names no user code may
    register: `register_gradient` refuses every one of them.

    >>> op_types()["mul"], op_types()["matmul"], op_types()["gelu"], len(op_types()) > 100
    ('Mul', 'MatMul', None, True)
    """
    return {name: (row.tensorflow or (None,))[0] for name, row in OP_TYPES.items()}
