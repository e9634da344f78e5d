"""The server: applications, learners' sockets, the workers that compute, files, and guards."""

import os
from importlib.metadata import version

from lessons.text.words import Texts

WORDS = Texts(__file__)

# torch asks the CUDA driver otherwise, and no process can be forked for CUDA after that.
os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
_found = version("streamlit")
if [int(number) for number in _found.split(".")[:2]] < [1, 67]:
    raise ImportError(
        f"This app needs streamlit 1.67.0, and {_found} is installed. Install what it needs with: "
        "pip install -r requirements.txt"
    )
