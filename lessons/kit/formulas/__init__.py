"""The formulas in a lab's graph: each op's rule along an edge, and the input's gradient."""
