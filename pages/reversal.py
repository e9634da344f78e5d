"""The lessons on lessons/chapters/reversal."""

from pages.ui.chapter_view import chapter_page

chapter_page("reversal")
