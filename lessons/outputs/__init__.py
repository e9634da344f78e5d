"""Lessons in other forms: catalogue, text, plain torch, notebook, search, glossary, quiz."""
