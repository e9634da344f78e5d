"""The files that others run it by: linted, and their steps run here without an engine for them."""
