"""The lessons on lessons/chapters/stop_gradient."""

from pages.ui.chapter_view import chapter_page

chapter_page("stop_gradient")
