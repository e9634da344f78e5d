"""The bench: one function, one trick, two ways to set it, A and B, side by side.

A choice makes a document of the playground (``lessons/playground``), so everything that runs, is
drawn or is refused here is the playground's.
"""
