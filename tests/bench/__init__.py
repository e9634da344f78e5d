"""Benchmarks, run by hand (`make bench`): how fast a page answers, for one visitor and for many."""
