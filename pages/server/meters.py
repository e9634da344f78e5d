"""What a server counts, for Prometheus: frames and their time, sockets, trainings, refusals, and
workers that died. No lesson's name, no address and nothing that a learner typed is counted by.
"""

import os
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.process_collector import ProcessCollector

PREFIX = "gradient_tricks"
SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
PORT, ADDRESS = "GRADIENT_TRICKS_METRICS_PORT", "GRADIENT_TRICKS_METRICS_ADDRESS"


class Meters:
    """The meters of one server, in a registry of their own: tests make many."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        ProcessCollector(registry=self.registry)
        self._frames = Histogram(
            f"{PREFIX}_frame_seconds",
            "From a lab's message to its frame.",
            buckets=SECONDS,
            registry=self.registry,
        )
        self.refused = Counter(
            f"{PREFIX}_refusals", "Messages that got no frame.", registry=self.registry
        )
        self._restarts = Counter(
            f"{PREFIX}_restarts",
            "Workers that died and were replaced, by lane.",
            ["lane"],
            registry=self.registry,
        )
        self.pages = Gauge(f"{PREFIX}_pages_open", "Sockets of pages.", registry=self.registry)
        self._labs = Gauge(f"{PREFIX}_labs_open", "Sockets of labs.", registry=self.registry)
        self._trainings = Gauge(
            f"{PREFIX}_trainings", "Trainings that make steps.", registry=self.registry
        )

    def frame(self, seconds: float) -> None:
        """Count a frame that went out."""
        self._frames.observe(seconds)

    def restarted(self, lane: str) -> None:
        """Count a worker that died."""
        self._restarts.labels(lane).inc()

    def watch(self, labs: Callable[[], float], trainings: Callable[[], float]) -> None:
        """Ask these for the number of sockets and of trainings whenever the meters are read."""
        self._labs.set_function(labs)
        self._trainings.set_function(trainings)


def serve(meters: Meters) -> None:
    """Answer Prometheus on a port of its own, where the environment names one."""
    if port := os.environ.get(PORT, ""):
        start_http_server(int(port), os.environ.get(ADDRESS, "127.0.0.1"), meters.registry)
