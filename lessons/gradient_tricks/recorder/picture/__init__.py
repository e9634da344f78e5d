"""A recording as something to look at: the steps of its backward pass, the layout, the drawing."""
