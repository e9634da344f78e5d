"""Functions that generated files define for themselves, as text: what a framework has not.

Name → source, in an order in which they can stand. Each is written into a file only where the file
uses it; TensorFlow and JAX are not installed here.
"""

from lessons.playground.codegen.words import WORDS

_TIMES = {
    "flip_gradient": """
def flip_gradient(x, scale):
    return changed(x, lambda upstream: upstream * -scale)
""",
    "scale_gradient": """
def scale_gradient(x, factor):
    return changed(x, lambda upstream: upstream * factor)
""",
}
"""The same in torch and TensorFlow, each with a `changed` of its own."""

TORCH_HELPERS = {
    "Overridden": f'''
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
    "overridden": """
def overridden(run, rule):
    return lambda *inputs: Overridden.apply(run, rule, *inputs)
""",
    "changed": f'''
def changed(x, change):
    """{WORDS("changed")}"""
    return overridden(lambda x: x.view_as(x), lambda op, upstream: change(upstream))(x)
''',
    "identity": """
def identity(x):
    return x.view_as(x)
""",
    "stop_gradient": """
def stop_gradient(x):
    return x.detach()
""",
    **_TIMES,
    "clip_gradient": """
def clip_gradient(x, low, high):
    return changed(x, lambda upstream: upstream.clamp(low, high))
""",
    "clip_gradient_norm": """
def clip_gradient_norm(x, max_norm):
    def shortened(upstream):
        norm = torch.linalg.vector_norm(upstream.double())
        factor = torch.where(norm <= max_norm, 1.0, max_norm / norm)
        return (upstream * factor).to(upstream.dtype)

    return changed(x, shortened)
""",
    "forward_backward": """
def forward_backward(f, g):
    def trick(x):
        value = f(x.detach())
        return overridden(lambda surrogate: value.clone(), lambda op, upstream: upstream)(g(x))

    return trick
""",
    "straight_through": """
def straight_through(f):
    return overridden(lambda x: f(x).clone(), lambda op, upstream: upstream)
""",
    "py_func": f'''
@torch.no_grad()
def py_func(run, *inputs):
    """{WORDS("py_func")}"""
    outputs = run(*inputs)
    if isinstance(outputs, tuple):
        return tuple(y.detach() for y in outputs)
    return outputs.detach()
''',
    "step": """
def step(x):
    return (x > 0).to(x.dtype)
""",
    "onehot_argmax": """
def onehot_argmax(x):
    return torch.nn.functional.one_hot(x.argmax(-1), x.shape[-1]).to(x.dtype)
""",
    "onehot_sample": """
def onehot_sample(p, u):
    with torch.no_grad():
        below = p.cumsum(-1)
        total = below[..., -1:]
        drawn = ((below <= u.unsqueeze(-1) * total) & (below < total)).sum(-1)
        return torch.nn.functional.one_hot(drawn, p.shape[-1]).to(p.dtype)
""",
}

TENSORFLOW_HELPERS = {
    "step": """
def step(x):
    return tf.cast(x > 0, x.dtype)
""",
    "onehot_argmax": """
def onehot_argmax(x):
    return tf.one_hot(tf.argmax(x, -1), x.shape[-1], dtype=x.dtype)
""",
    "onehot_sample": """
def onehot_sample(p, u):
    below = tf.cumsum(p, -1)
    total = below[..., -1:]
    before = (below <= u[..., None] * total) & (below < total)
    drawn = tf.reduce_sum(tf.cast(before, tf.int32), -1)
    return tf.one_hot(drawn, p.shape[-1], dtype=p.dtype)
""",
    "changed": f'''
def changed(x, change):
    """{WORDS("changed")}"""
    run = tf.custom_gradient(lambda x: (tf.identity(x), change))
    return run(x)
''',
    **_TIMES,
    "clip_gradient": """
def clip_gradient(x, low, high):
    return changed(x, lambda upstream: tf.clip_by_value(upstream, low, high))
""",
    "clip_gradient_norm": """
def clip_gradient_norm(x, max_norm):
    def shortened(upstream):
        norm = tf.norm(upstream)
        factor = tf.where(norm <= max_norm, tf.ones_like(norm), max_norm / norm)
        return upstream * factor

    return changed(x, shortened)
""",
    "forward_backward": """
def forward_backward(f, g):
    def trick(x):
        surrogate = g(x)
        run = tf.custom_gradient(lambda x, s: (f(x), lambda upstream: (None, upstream)))
        return run(tf.stop_gradient(x), surrogate)

    return trick
""",
    "straight_through": """
def straight_through(f):
    return lambda x: tf.custom_gradient(lambda x: (f(x), lambda upstream: upstream))(x)
""",
    "py_func": f'''
def py_func(func, *inputs):
    """{WORDS("py_func")}"""
    outputs = func(*(tf.stop_gradient(x) for x in inputs))
    if isinstance(outputs, tuple):
        return tuple(tf.stop_gradient(y) for y in outputs)
    return tf.stop_gradient(outputs)
''',
    "overridden": f'''
def overridden(op, rule):
    """{WORDS("overridden")}

    {WORDS("overridden_before")}
    """

    @tf.custom_gradient
    def run(*inputs):
        outputs = op(*inputs)
        each = outputs if isinstance(outputs, tuple) else (outputs,)

        def gradient(*upstream):
            found = rule(inputs, each, *upstream)
            return found if isinstance(found, tuple) else (found,)

        return outputs, gradient

    return run
''',
}

JAX_HELPERS = {
    "step": """
def step(x):
    return (x > 0).astype(x.dtype)
""",
    "onehot_argmax": """
def onehot_argmax(x):
    return jax.nn.one_hot(jnp.argmax(x, -1), x.shape[-1], dtype=x.dtype)
""",
    "onehot_sample": """
def onehot_sample(p, u):
    below = jnp.cumsum(p, -1)
    total = below[..., -1:]
    drawn = jnp.sum((below <= u[..., None] * total) & (below < total), -1)
    return jax.nn.one_hot(drawn, p.shape[-1], dtype=p.dtype)
""",
    "clamp": f'''
def clamp(x, low, high):
    """{WORDS("clamp")}"""
    return jnp.where((low <= x) & (x <= high), x, jnp.clip(x, low, high))
''',
    "overridden": f'''
def overridden(op, rule):
    """{WORDS("overridden")}"""
    run = jax.custom_vjp(lambda *inputs: op(*inputs))

    def forward(*inputs):
        outputs = op(*inputs)
        return outputs, (inputs, outputs)

    def backward(saved, upstream):
        inputs, outputs = saved
        each = outputs if isinstance(outputs, tuple) else (outputs,)
        arrived = upstream if isinstance(upstream, tuple) else (upstream,)
        found = rule(inputs, each, *arrived)
        found = found if isinstance(found, tuple) else (found,)
        return tuple(nothing(x) if g is None else g for x, g in zip(inputs, found))

    run.defvjp(forward, backward)
    return run
''',
    "nothing": f'''
def nothing(x):
    """{WORDS("nothing")}"""
    whole = not jnp.issubdtype(x.dtype, jnp.floating)
    return jnp.zeros(x.shape, jax.dtypes.float0) if whole else jnp.zeros_like(x)
''',
    "changed": f'''
def changed(x, change):
    """{WORDS("changed")}"""
    return overridden(lambda x: x, lambda inputs, outputs, upstream: change(upstream))(x)
''',
    "flip_gradient": """
def flip_gradient(x, scale):
    def rule(inputs, outputs, upstream):
        return upstream * -inputs[1], None

    return overridden(lambda x, s: x, rule)(x, jnp.asarray(scale, x.dtype))
""",
    "scale_gradient": """
def scale_gradient(x, factor):
    def rule(inputs, outputs, upstream):
        return upstream * inputs[1], None

    return overridden(lambda x, s: x, rule)(x, jnp.asarray(factor, x.dtype))
""",
    "clip_gradient": """
def clip_gradient(x, low, high):
    return changed(x, lambda upstream: jnp.clip(upstream, low, high))
""",
    "clip_gradient_norm": """
def clip_gradient_norm(x, max_norm):
    def shortened(upstream):
        norm = jnp.sqrt(jnp.sum(upstream**2))
        return upstream * jnp.where(norm <= max_norm, 1.0, max_norm / norm)

    return changed(x, shortened)
""",
    "forward_backward": """
def forward_backward(f, g):
    def trick(x):
        value = f(jax.lax.stop_gradient(x))
        return overridden(lambda s, v: v, lambda inputs, outputs, upstream: (upstream, None))(
            g(x), value
        )

    return trick
""",
    "straight_through": """
def straight_through(f):
    return lambda x: overridden(f, lambda inputs, outputs, upstream: upstream)(x)
""",
    "py_func": f'''
def py_func(func, *inputs):
    """{WORDS("py_func")}"""
    outputs = func(*(jax.lax.stop_gradient(x) for x in inputs))
    if isinstance(outputs, tuple):
        return tuple(jax.lax.stop_gradient(y) for y in outputs)
    return jax.lax.stop_gradient(outputs)
''',
}
