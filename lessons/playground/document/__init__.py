"""What the playground holds: inputs, program, override table, plot. It is written as text, in
addresses and as the form of its controls, and checked before anything runs.
"""
