"""Runs a checked document: what it may take, values and gradients, curves, notes, graph, charts."""
