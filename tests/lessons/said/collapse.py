"""Titles of the charts of collapsing features."""

SILENT = ("at_one_view",)
