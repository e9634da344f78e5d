"""Titles of the charts of collapsing features."""

SILENT = {"Gradient, at one view"}
