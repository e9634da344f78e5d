"""The noise lab as others would build it: same numbers, same figures, same table, same slider.

Each peer is written the way its own documentation shows.
"""
