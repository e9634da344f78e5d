"""The page of the chapter reversal: the bench with its trick, a lesson, or the quiz."""

from pages.ui.chapter_view import chapter_page

chapter_page("reversal")
