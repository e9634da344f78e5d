"""The page of the chapter in_the_wild: its lessons, one of them, or the quiz."""

from pages.ui.chapter_view import chapter_page

chapter_page("in_the_wild")
