"""Functions that generated files define for themselves, as text: what a framework has not.

Name → source, in an order in which they can stand. Each is written into a file only where the file
uses it; TensorFlow and JAX are not installed here.
"""

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
    "Overridden": '''
class Overridden(torch.autograd.Function):
    """The value of an op; the gradients that a rule returns, one for each input."""

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
    "changed": '''
def changed(x, change):
    """The value of x; the gradient as `change` makes it."""
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
    "py_func": '''
@torch.no_grad()
def py_func(run, *inputs):
    """One op without a gradient, whatever it is made of."""
    outputs = run(*inputs)
    if isinstance(outputs, tuple):
        return tuple(y.detach() for y in outputs)
    return outputs.detach()
''',
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
    "changed": """
def changed(x, change):
    \"\"\"The value of x; the gradient as `change` makes it.\"\"\"
    run = tf.custom_gradient(lambda x: (tf.identity(x), change))
    return run(x)
""",
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
    "py_func": """
def py_func(func, *inputs):
    \"\"\"One op without a gradient, whatever it is made of.\"\"\"
    outputs = func(*(tf.stop_gradient(x) for x in inputs))
    if isinstance(outputs, tuple):
        return tuple(tf.stop_gradient(y) for y in outputs)
    return tf.stop_gradient(outputs)
""",
    "overridden": """
def overridden(op, rule):
    \"\"\"The op with another gradient: rule(inputs, outputs, *upstream), one for each input.

    TensorFlow 1 had graph.gradient_override_map for this; TensorFlow 2 has custom_gradient.
    \"\"\"

    @tf.custom_gradient
    def run(*inputs):
        outputs = op(*inputs)
        each = outputs if isinstance(outputs, tuple) else (outputs,)

        def gradient(*upstream):
            found = rule(inputs, each, *upstream)
            return found if isinstance(found, tuple) else (found,)

        return outputs, gradient

    return run
""",
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
    "clamp": """
def clamp(x, low, high):
    \"\"\"jnp.clip, but the gradient passes at both ends too: JAX halves it there.\"\"\"
    return jnp.where((low <= x) & (x <= high), x, jnp.clip(x, low, high))
""",
    "overridden": """
def overridden(op, rule):
    \"\"\"The op with another gradient: rule(inputs, outputs, *upstream), one for each input.\"\"\"
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
""",
    "nothing": """
def nothing(x):
    \"\"\"JAX's None: zeros, of a type of their own where x is no float.\"\"\"
    whole = not jnp.issubdtype(x.dtype, jnp.floating)
    return jnp.zeros(x.shape, jax.dtypes.float0) if whole else jnp.zeros_like(x)
""",
    "changed": """
def changed(x, change):
    \"\"\"The value of x; the gradient as `change` makes it.\"\"\"
    return overridden(lambda x: x, lambda inputs, outputs, upstream: change(upstream))(x)
""",
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
    "py_func": """
def py_func(func, *inputs):
    \"\"\"One op without a gradient, whatever it is made of.\"\"\"
    outputs = func(*(jax.lax.stop_gradient(x) for x in inputs))
    if isinstance(outputs, tuple):
        return tuple(jax.lax.stop_gradient(y) for y in outputs)
    return jax.lax.stop_gradient(outputs)
""",
}
