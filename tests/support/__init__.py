"""What tests and benchmarks share: a browser, a server, lessons by name, fuzzing, a prose check."""
