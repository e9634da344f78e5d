"""Every bound of the playground, in one place. What is over one is refused with its own message.

They keep one visitor's program from taking the machine from the others: each op is small because
its tensors are, and between ops the clock is read. What follows from them is in running/budget.py.
"""

MAX_CHARACTERS = 6_000
"""The longest program: as many ops as below, in torch's spelling."""

MAX_RULE_CHARACTERS = 400
"""The longest rule of an override."""

MAX_DOCUMENT_CHARACTERS = 40_000
"""The longest document: inputs, overrides and program together."""

MAX_OPS = 200
"""Operators and calls of one program, its assignments together."""

MAX_DRAWN = 60
"""Ops of the largest graph that is drawn: a drawing of more is no help."""

MAX_DEPTH = 24
"""Brackets within brackets, and signs in front of signs."""

MAX_CHAIN = 60
"""Ops within ops in one expression."""

MAX_EXPONENT = 64
"""The size of an exponent that is written as a number. Larger ones leave 0, 1 or infinity."""

MAX_NUMBER = 1e100
"""The size of a number in a program."""

MAX_DIGITS = 40
"""Characters of one number."""

MAX_NAME = 32
"""Characters of one name."""

MAX_ELEMENTS = 4_096
"""Numbers in one tensor of a program, at the learner's points."""

MAX_SWEEP_ELEMENTS = 200_000
"""Numbers in one tensor for all points and draws of a curve: of a large one there are few draws."""

MAX_SWEEP_BYTES = 48 << 20
"""Memory of the runs that are made at a time for the curves: results, and what autograd keeps."""

MAX_SWEEP_WORK = 100_000_000
"""All that is computed for one row of points, in numbers of a product of two lists: a fifth of a
second. A larger program has fewer points."""

LEAST_POINTS = 7
"""Points of one curve at least; a program with no room for them is refused."""

MAX_DRAWS = 64
"""Draws of the noise behind one band."""

CURVE_POINTS = 121
"""Points of one curve, where there is room for them: an odd number."""

MAX_INPUTS = 12
"""Inputs of one document."""

MAX_INPUT_ELEMENTS = 1_024
"""Numbers in one input."""

MAX_OVERRIDES = 12
"""Rules of one document."""

SECONDS = 2.0
"""Computing of one run: values, gradients and curves. Past it, the run stops at the next op. By the
bounds above a run takes 0.35; but what one number takes depends on the processor, and on numbers
near 0 that some multiply a hundred times slower."""
