"""The lessons on lessons/chapters/in_the_wild."""

from pages.ui.chapter_view import chapter_page

chapter_page("in_the_wild")
