"""Steps, layout and drawing of a recording's backward pass."""
