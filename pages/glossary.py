"""The terms of the field, on lessons/glossary."""

from pages.ui.glossary_view import glossary_page

glossary_page()
