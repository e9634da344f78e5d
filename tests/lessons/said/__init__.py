"""What the titles of a lesson's own charts say, and sums that hold it; a file a lesson.

``SAYS`` maps a pattern of a title to a check, as those in tests/lessons/test_findings.py: it gets
what is ``Shown`` (tests/lessons/titles.py) and the pattern's groups. ``SILENT`` are titles that say
nothing of the numbers. ``TELLS`` maps the first word of a role to the beginnings of the facts that
tell of it; ``OF_THEIR_PICTURE`` names figures of a training whose titles quote no fact.
"""
