"""One thin page each; ``ui`` has what they share, ``labs`` computes labs, ``server`` serves all."""
