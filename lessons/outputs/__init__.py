"""Lessons in other forms: catalogue, plain torch, notebook, search, glossary, quiz."""
