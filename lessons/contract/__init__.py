"""What a lesson declares, and what comes of it: text, parameters, lab, training, result, figures.

Declarations and their validation alone; what several labs compute or draw alike is in ``kit``.
"""
