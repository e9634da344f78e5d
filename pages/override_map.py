"""The lessons on lessons/chapters/override_map."""

from pages.ui.chapter_view import chapter_page

chapter_page("override_map")
