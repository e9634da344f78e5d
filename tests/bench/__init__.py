"""Benchmarks, run by hand (`make bench`): how fast the engine is, how fast the page answers."""
