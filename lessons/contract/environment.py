"""Environment variables that lessons read. Needs no torch, as those that set them have none."""

CUDA = "GRADIENT_TRICKS_CUDA"
"""Which of several devices this process calls "cuda": 0, 1 and so on, and round again. The server
sets it, so that trainings are spread over them."""
