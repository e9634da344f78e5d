"""Programs of somebody else's, traced: what is said of them, on the page and on the terminal."""
