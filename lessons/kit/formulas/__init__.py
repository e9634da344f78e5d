"""What the graph of a lab says in formulas: each op's rule along an edge, the input's gradient."""
