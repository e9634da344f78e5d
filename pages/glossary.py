"""The terms of the field, on lessons/glossary.md."""

from pages.ui.glossary_view import glossary_page

glossary_page()
