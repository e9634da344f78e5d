"""The lessons on lessons/chapters/clipping."""

from pages.ui.chapter_view import chapter_page

chapter_page("clipping")
