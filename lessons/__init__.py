"""What the app teaches, and how it is computed. Nothing here knows of streamlit.

The rooms, each importing only from those above it:

- ``tricks``: the engine, gradient tricks for torch. It needs torch alone.
- ``recorder``: records a torch program's graph, forward and backward; steps, cuts, picture.
- ``doctor``: a torch function of one's own: what happened, what went wrong, as one HTML file.
- ``contract``: what a lesson declares, and what comes of it.
- ``kit``: pieces that labs are built from.
- ``training``: trains networks step by step, so that a page can draw, pause and stop.
- ``playground``: a small language for a learner's own programs.
- ``chapters``: the lessons, a folder each.
- ``outputs``: finds the lessons and hands them out: catalogue, command line, export, search.

``text`` writes numbers and lists as people read them, for all rooms but the engine; its
``console`` is what a command line reads and prints.
"""
