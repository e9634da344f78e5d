"""The start: the course at a glance, and one thing to play with at once."""

from pages.ui.home_view import home

home()
