"""The course: a folder a chapter, in it a folder a lesson.

A lesson's lab, charts, bug and equivalents lie in its folder; what two lessons share lies beside
them, in a folder whose name begins with ``shared_``. No other room imports from here: the
catalogue finds lessons on disk.
"""
