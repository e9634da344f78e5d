"""Reads a number in an address or a cookie, which may hold anything."""


def natural(text: str, most: int) -> int | None:
    """Read a whole number from 0 to ``most``; None if the text is anything else."""
    fits = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    return int(text) if fits and int(text) <= most else None
