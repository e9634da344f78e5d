"""A training step with its gradients clipped over both weights. TensorFlow 1.

It runs on TensorFlow 2 through ``tf.compat.v1``, in a graph. ``minimize`` leaves no room for a
clip: it is ``compute_gradients`` and ``apply_gradients`` in one.
"""

import json

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

w = tf.get_variable("w", initializer=tf.constant(1.0, tf.float64))
v = tf.get_variable("v", initializer=tf.constant(2.0, tf.float64))
loss = (v * (w * 2.0)) ** 2 / 2
optimizer = tf.train.GradientDescentOptimizer(0.3)
gradients, variables = zip(*optimizer.compute_gradients(loss, [w, v]), strict=True)
clipped, norm = tf.clip_by_global_norm(gradients, 3.0)
step = optimizer.apply_gradients(zip(clipped, variables, strict=True))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    value, plain, short, length = session.run([loss, gradients, clipped, norm])
    session.run(step)
print(
    json.dumps(
        {
            "forward": [float(value)],
            "trick_gradient": [float(one) for one in plain],  # used, if the clip came later
            "intended_gradient": [float(one) for one in short],
            "returned": float(length),
        }
    )
)
