"""What the titles of a lesson's own charts say, and sums that hold it; a file a lesson.

``SAYS`` maps the name of a title in en.md to a check, as those in tests/lessons/test_findings.py:
it gets what is ``Shown`` (tests/lessons/titles.py) and what fills each placeholder, by name.
``SILENT`` are names of titles that say nothing of the numbers. A file is named for the folder with
the lab's en.md. ``TELLS`` maps the first word of a role to the beginnings of the facts that
tell of it; ``OF_THEIR_PICTURE`` names figures of a training whose titles quote no fact.
"""
