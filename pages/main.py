"""The script behind every page: navigation; nothing else."""

from pages.ui.site import navigation

navigation().run()
