"""Pieces that labs are built from: experiment, curve lab, formulas, charts, tables, notes, noise.

What only one lesson uses belongs in that lesson's folder.
"""
