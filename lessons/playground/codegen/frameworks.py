"""What generated code needs in each framework: spellings, helper functions, head and foot.

The helper functions stand in helpers.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lessons.playground.codegen.helpers import JAX_HELPERS, TENSORFLOW_HELPERS, TORCH_HELPERS
from lessons.playground.language.functions import Function


@dataclass(frozen=True)
class Framework:
    """One framework.

    Args:
        name: "torch", "tensorflow" or "jax".
        label: for people.
        tensor: a number or list, ``value``, as a tensor of the file's dtype, DTYPE.
        given: an input, ``value``, in the same way.
        imports: the first lines of a file.
        helpers: name → source, in an order in which they can stand.
        maps: whether rules are bound with the engine's `gradient_override_map`, as the code pane
            shows; otherwise each op with a rule is written as ``overridden(op, rule)(…)``.
        foot: the last lines: they run ``program`` on ``inputs``, name → tensor. No name of the
            learner's stands here as a name of Python's, so none can take the place of ours.
    """

    name: str
    label: str
    tensor: str
    given: str
    imports: str
    helpers: Mapping[str, str]
    foot: str
    maps: bool = False

    def computing_in(self, dtype: str) -> "Framework":
        """The same, its constants and inputs of this dtype."""
        return replace(
            self,
            tensor=self.tensor.replace("DTYPE", dtype),
            given=self.given.replace("DTYPE", dtype),
        )

    def spelling(self, function: Function) -> str:
        """The function as an expression over its parameters' names."""
        found: str = getattr(function, self.name)
        return found


TORCH = Framework(
    "torch",
    "torch",
    "torch.tensor(value)",
    "torch.tensor(value, requires_grad=True)",
    "import json\n\nimport torch\n",
    TORCH_HELPERS,
    """
output = program(*inputs.values())
gradients = [None] * len(inputs)
if output.requires_grad:
    gradients = torch.autograd.grad(output.sum(), list(inputs.values()), allow_unused=True)
found = {
    "forward": output.tolist(),
    "trick_gradient": {
        name: None if gradient is None else gradient.tolist()
        for name, gradient in zip(inputs, gradients)
    },
}
print(json.dumps(found))
""",
    maps=True,
)
TENSORFLOW = Framework(
    "tensorflow",
    "TensorFlow 2",
    "tf.constant(value, tf.DTYPE)",
    "tf.constant(value, tf.DTYPE)",
    "import json\n\nimport tensorflow as tf\n",
    TENSORFLOW_HELPERS,
    """
with tf.GradientTape() as tape:
    tape.watch(inputs)
    output = program(*inputs.values())
    total = tf.reduce_sum(output)
gradients = tape.gradient(total, inputs)
found = {
    "forward": tf.cast(output, tf.float64).numpy().tolist(),
    "trick_gradient": {
        name: None if gradient is None else tf.cast(gradient, tf.float64).numpy().tolist()
        for name, gradient in gradients.items()
    },
}
print(json.dumps(found))
""",
)

JAX = Framework(
    "jax",
    "JAX",
    "jnp.array(value, jnp.DTYPE)",
    "jnp.array(value, jnp.DTYPE)",
    'import json\n\nimport jax\nimport jax.numpy as jnp\n\n'
    'jax.config.update("jax_enable_x64", True)\n',
    JAX_HELPERS,
    """
output, pull_back = jax.vjp(program, *inputs.values())
gradients = pull_back(jnp.ones_like(output))
found = {
    "forward": output.astype(float).tolist(),
    "trick_gradient": {
        name: gradient.astype(float).tolist() for name, gradient in zip(inputs, gradients)
    },
}
print(json.dumps(found))
""",
)  # fmt: skip

FRAMEWORKS = {one.name: one for one in (TORCH, TENSORFLOW, JAX)}
IN_A_FILE = FRAMEWORKS | {"torch": replace(TORCH, maps=False)}
"""The frameworks as a whole file has them: torch there brings helpers in place of the engine."""
