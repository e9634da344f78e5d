"""Runs the lessons' files in TensorFlow and JAX, and keeps what they print: ``__main__.py``.

`lessons.check.frameworks` compares that with our numbers, without TensorFlow or JAX.
"""
