"""Home: the bench, and where to start."""

from pages.ui.home_view import home

home()
