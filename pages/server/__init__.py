"""The server: applications, learners' sockets, the workers that compute, files, and guards."""

import os

from lessons.gradient_tricks.text.words import Texts

WORDS = Texts(__file__)

# torch asks the CUDA driver otherwise, and no process can be forked for CUDA after that.
os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
# Characters of a header. At websockets' own limit, 8,192, a socket with longer cookies hangs, and
# all apps on a host share their cookies. uvicorn answers a longer header with 400.
os.environ.setdefault("WEBSOCKETS_MAX_LINE_LENGTH", "65536")
