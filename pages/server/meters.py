"""What a server counts, for Prometheus. No lesson's name, no address and nothing that a learner
typed is counted by. Prometheus' own library adds the memory and time of the process.
"""

import os

from prometheus_client import Counter, Gauge, Histogram, start_http_server

PORT, ADDRESS = "GRADIENT_TRICKS_METRICS_PORT", "GRADIENT_TRICKS_METRICS_ADDRESS"

FRAMES = Histogram("gradient_tricks_frame_seconds", "From a lab's message to its frame.")
REFUSALS = Counter("gradient_tricks_refusals", "Messages that got no frame.")
RESTARTS = Counter("gradient_tricks_restarts", "Workers that died, by lane.", ["lane"])
PAGES = Gauge("gradient_tricks_pages_open", "Sockets of pages.")
LABS = Gauge("gradient_tricks_labs_open", "Sockets of labs.")


def serve() -> None:
    """Answer Prometheus on a port of its own, where the environment names one."""
    if port := os.environ.get(PORT, ""):
        try:
            start_http_server(int(port), os.environ.get(ADDRESS, "127.0.0.1"))
        except (OSError, ValueError) as error:
            raise ValueError(f"{PORT} must name a free port, not {port!r}: {error}.") from None
