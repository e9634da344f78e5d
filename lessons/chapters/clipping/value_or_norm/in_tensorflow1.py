"""One gradient clipped by value and by norm, between computing and applying it. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

w = tf.get_variable("w", initializer=tf.constant([3.0, 1.0], tf.float64))
optimizer = tf.train.GradientDescentOptimizer(0.1)
((gradient, variable),) = optimizer.compute_gradients(tf.reduce_sum(w**2) / 2, [w])
by_value = tf.clip_by_value(gradient, -1.5, 1.5)
by_norm = tf.clip_by_norm(gradient, 1.5)
step = optimizer.apply_gradients([(by_norm, variable)])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    before, value, norm = session.run([w, by_value, by_norm])
    session.run(step)
print(
    json.dumps(
        {
            "forward": before.tolist(),
            "trick_gradient": value.tolist(),
            "intended_gradient": norm.tolist(),
        }
    )
)
