"""The lessons handed out: found (catalogue), run and exported from the command line, searched, with
a glossary. Nothing here computes a gradient.
"""
