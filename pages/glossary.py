"""The terms of the field, from lessons/outputs/terms."""

from pages.ui.glossary_view import glossary_page

glossary_page()
