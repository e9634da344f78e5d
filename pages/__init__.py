"""One thin page a trick. What they share lives in pages.ui; what they teach, in lessons."""
