"""What the playground holds, inputs, program, override table, plot, as text and in addresses; and
its check before anything runs.
"""
