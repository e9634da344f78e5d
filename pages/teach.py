"""Links for teachers: a lesson's lab as it is set, with controls hidden or locked."""

from pages.ui.teach_view import teach_page

teach_page()
