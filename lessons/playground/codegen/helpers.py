"""Functions that torch lacks, as text: a generated file defines those that it uses.

Name → source, each after those that it calls.
"""

from lessons.playground.codegen.words import WORDS

HELPERS = {
    "Overridden": f'''\
class Overridden(torch.autograd.Function):
    """{WORDS("overridden_class")}"""

    @staticmethod
    def forward(op, run, rule, *inputs):
        outputs = run(*inputs)
        each = outputs if isinstance(outputs, tuple) else (outputs,)
        op.rule, op.count = rule, len(inputs)
        op.save_for_backward(*inputs, *each)
        return outputs

    @staticmethod
    def backward(op, *upstream):
        op.inputs, op.outputs = op.saved_tensors[: op.count], op.saved_tensors[op.count :]
        found = op.rule(op, *upstream)
        return None, None, *(found if isinstance(found, tuple) else (found,))
''',
    "overridden": """\
def overridden(run, rule):
    return lambda *inputs: Overridden.apply(run, rule, *inputs)
""",
    "change_gradient": f'''\
def change_gradient(x, change):
    """{WORDS("change_gradient")}"""
    return overridden(lambda x: x.view_as(x), lambda op, upstream: change(upstream))(x)
''',
    "identity": """\
def identity(x):
    return x.view_as(x)
""",
    "stop_gradient": """\
def stop_gradient(x):
    return x.detach()
""",
    "flip_gradient": """\
def flip_gradient(x, scale):
    return change_gradient(x, lambda upstream: upstream * -scale)
""",
    "scale_gradient": """\
def scale_gradient(x, factor):
    return change_gradient(x, lambda upstream: upstream * factor)
""",
    "clip_gradient": """\
def clip_gradient(x, low, high):
    return change_gradient(x, lambda upstream: upstream.clamp(low, high))
""",
    "clip_gradient_norm": """\
def clip_gradient_norm(x, max_norm):
    def shortened(upstream):
        norm = torch.linalg.vector_norm(upstream.double())
        factor = torch.where(norm <= max_norm, 1.0, max_norm / norm)
        return (upstream * factor).to(upstream.dtype)

    return change_gradient(x, shortened)
""",
    "forward_backward": """\
def forward_backward(f, g):
    def trick(x):
        value = f(x.detach())
        return overridden(lambda surrogate: value.clone(), lambda op, upstream: upstream)(g(x))

    return trick
""",
    "straight_through": """\
def straight_through(f):
    return overridden(lambda x: f(x).clone(), lambda op, upstream: upstream)
""",
    "py_func": f'''\
@torch.no_grad()
def py_func(run, *inputs):
    """{WORDS("py_func")}"""
    outputs = run(*inputs)
    if isinstance(outputs, tuple):
        return tuple(y.detach() for y in outputs)
    return outputs.detach()
''',
    "step": """\
def step(x):
    return (x > 0).to(x.dtype)
""",
    "onehot_argmax": """\
def onehot_argmax(x):
    return torch.nn.functional.one_hot(x.argmax(-1), x.shape[-1]).to(x.dtype)
""",
    "onehot_sample": """\
def onehot_sample(p, u):
    with torch.no_grad():
        below = p.cumsum(-1)
        total = below[..., -1:]
        drawn = ((below <= u.unsqueeze(-1) * total) & (below < total)).sum(-1)
        return torch.nn.functional.one_hot(drawn, p.shape[-1]).to(p.dtype)
""",
}
