"""The server: applications, learners' sockets, the workers that compute, files, and guards."""

from importlib.metadata import version

_found = version("streamlit")
if [int(number) for number in _found.split(".")[:2]] < [1, 67]:
    raise ImportError(
        f"This app needs streamlit 1.67.0, and {_found} is installed. Install what it needs with: "
        "pip install -r requirements.txt"
    )
