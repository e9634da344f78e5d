"""Titles of the charts of moving targets."""

SILENT = ("of_one_step",)
