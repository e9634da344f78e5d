"""The lessons on lessons/chapters/gone_missing."""

from pages.ui.chapter_view import chapter_page

chapter_page("gone_missing")
