"""The text of a lesson: its steps, questions and tasks, read from Markdown."""
