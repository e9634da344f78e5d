"""What the playground holds, written as one text, and checked before anything runs."""
