"""Pieces that labs are built from: the curve lab, charts, tables, notes, random draws, devices.

What only one lesson uses belongs in that lesson's folder.
"""
