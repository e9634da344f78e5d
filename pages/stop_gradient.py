"""The page of the chapter stop_gradient: the bench with its trick, a lesson, or the quiz."""

from pages.ui.chapter_view import chapter_page

chapter_page("stop_gradient")
