"""The course: every lesson by chapter, and what was done."""

from pages.ui.course_view import course_page

course_page()
