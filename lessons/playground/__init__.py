"""The playground without a page: a small language for gradient tricks, run on torch.

A `Document` holds inputs, a program, overrides and what is plotted. ``document`` reads it from
text, and ``running`` computes it::

    document = from_text("x = input([-2, -1, 1])\\ny = stop_gradient(x**2) * x\\n")
    outcome = run(document)
    outcome["trick_gradient"].y

Whatever a visitor writes, one error family comes out: `PlaygroundError`, with line and column.
``language`` has the table of its functions, reads a program's text, and says what is wrong in it.
"""
