"""The page of the chapter gone_missing: its lessons, one of them, or the quiz."""

from pages.ui.chapter_view import chapter_page

chapter_page("gone_missing")
