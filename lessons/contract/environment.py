"""Environment variables of lessons. Imports no torch: processes that set them don't load it."""

CUDA = "GRADIENT_TRICKS_CUDA"
"""Which of several devices this process calls "cuda": 0, 1 and so on, and round again. The server
sets it, so that trainings are spread over them."""
