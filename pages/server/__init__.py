"""The server: applications, learners' sockets, the workers that compute, files, and guards."""

import os

from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)

# torch asks the CUDA driver otherwise, and no process can be forked for CUDA after that.
os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
# With its own 8,192 websockets keeps a browser waiting whose cookies are longer, and apps on one
# host share their cookies. The HTTP side refuses what is longer than this.
os.environ.setdefault("WEBSOCKETS_MAX_LINE_LENGTH", "65536")
