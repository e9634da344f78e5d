"""The language of programs: its functions, how text becomes expressions, what is refused and why.

Nothing here runs a program.
"""
