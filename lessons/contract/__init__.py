"""What a lesson declares, and what its parts return: parameters, lab, training, result, figures.

Most of it is declarations and their validation; `covering` and `stacking` work on drawn charts.
What several labs compute or draw alike is in ``kit``.
"""
