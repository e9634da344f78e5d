"""How it is run for others: containers, a cluster, one machine. README.md says which and how."""
