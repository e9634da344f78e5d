"""Writes a document as a Python file for torch."""
