"""What tests and benchmarks share: a browser to look with, a server to look at."""
