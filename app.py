"""Gradient Tricks Lab: page set-up and navigation. Run it with ``make run``."""

from pages.ui.runtime import prepare
from pages.ui.site import navigation

prepare()
navigation().run()
