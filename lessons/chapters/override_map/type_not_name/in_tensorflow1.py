"""What TensorFlow 1 finds by type, and what by name: the op to override, and the rule for it.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
graph = tf.get_default_graph()


@tf.RegisterGradient("HalveByType")
def half(op, upstream):
    return upstream * 0.5


def article(key, rule="HalveByType", name=None):
    """The article's ops, with the identity inside the map."""
    with graph.gradient_override_map({key: rule}):
        y = tf.identity(tf.square(tf.multiply(x, 6.0, name=name)))
    return y, tf.gradients(y, x)[0]


def error_of(run):
    try:
        run()
    except Exception as error:
        return type(error).__name__
    return ""


class FlipGradientBuilder:
    def __init__(self):
        self.calls = 0

    def __call__(self, x, scale):
        name = f"FlipGradient{self.calls}"
        self.calls += 1

        @tf.RegisterGradient(name)
        def flip_rule(op, upstream):
            return [-scale * upstream]

        with graph.gradient_override_map({"Identity": name}):
            return tf.identity(x)


@tf.RegisterGradient("FlipByItsSecondInput")
def flip_by_its_second_input(op, upstream, _):
    return [-op.inputs[1] * upstream, None]


def flip_once_registered(x, scale):
    with graph.gradient_override_map({"IdentityN": "FlipByItsSecondInput"}):
        return tf.identity_n([x, scale])[0]


x = tf.constant([-2.0, 1.0, 3.0], tf.float64)
y, gradient = article("Identity", name="Identity")
found = {
    "forward": y,
    "trick_gradient": gradient,
    "lower_there": article("identity")[1],
    "misspelt_there": article("Identty")[1],
    "absent_there": article("MatMul")[1],
}
one, flip = tf.constant(1.0, tf.float64), FlipGradientBuilder()
found["own"] = tf.gradients(flip(one, 2.0) ** 3 + flip(one, 0.5) ** 2, one)[0]
scales = [tf.placeholder(tf.float64, []) for _ in range(2)]
read = [flip_once_registered(one, scale) for scale in scales]
found["own_from_the_op"] = tf.gradients(read[0] ** 3 + read[1] ** 2, one)[0]
with tf.Session() as session:
    values = session.run(found, dict(zip(scales, (2.0, 0.5), strict=True)))
printed = {name: value.tolist() for name, value in values.items()}
printed |= {
    "type_of_the_op_named_identity": graph.get_operation_by_name("Identity").type,
    "type_of_a_sum": (x + x).op.type,
    "type_of_a_py_func": tf.py_func(abs, [x], tf.float64).op.type,
    "key_that_is_no_text": error_of(lambda: article(6)),
    "unknown_rule": error_of(lambda: article("Identity", rule="HalveByTyp")),
    "second_builder": error_of(lambda: FlipGradientBuilder()(one, 2.0)),
}
print(json.dumps(printed))
