"""Titles of the charts of moving targets."""

SILENT = {"Gradient, of one step"}
