"""Watches a torch program run and writes it down: nodes, edges, values, then one backward pass."""
