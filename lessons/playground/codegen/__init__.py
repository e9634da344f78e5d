"""Writes a document as a Python file for torch, TensorFlow 2 or JAX."""
