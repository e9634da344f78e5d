"""The server: applications, learners' sockets, the workers that compute, files, and guards."""

import os

from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)

# torch asks the CUDA driver otherwise, and no process can be forked for CUDA after that.
os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
