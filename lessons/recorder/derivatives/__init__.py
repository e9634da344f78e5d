"""What each op does to the gradient along each of its edges: in LaTeX and as a number."""
