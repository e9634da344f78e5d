"""What the server counts, for Prometheus: frames, their time, sockets, trainings, refusals, memory,
processes that were started again.

Each process counts for itself; whoever collects adds them up. No lesson's name, no address and
nothing that a learner typed is counted by.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

PREFIX = "gradient_tricks"
SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Ends of the histogram's bins: .15 and .25 s are what the benchmarks hold a class to."""
TYPE = CONTENT_TYPE_LATEST

Processes = Callable[[], Iterable[tuple[str, int]]]
"""What each process of this server does, and its number."""


class PageMeters:
    """What is counted of the pages and of the process that they live in, which outlives others."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry(auto_describe=True)
        ProcessCollector(registry=self._registry)
        self.pages = Gauge(f"{PREFIX}_pages_open", "Sockets of pages.", registry=self._registry)
        self._restarts = Counter(
            f"{PREFIX}_restarts",
            "Processes that ended and were started again, by what they do.",
            ["process"],
            registry=self._registry,
        )
        for kind in ("labs", "computer", "trainer"):
            self._restarts.labels(kind)

    def restarted(self, kind: str) -> None:
        """A process of this kind ended, and is started again."""
        self._restarts.labels(kind).inc()

    def text(self) -> bytes:
        """All of it, in Prometheus' text format."""
        return generate_latest(self._registry)


class Meters:
    """What is counted of the labs; a registry of its own, so that tests may have many."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        self._frames = Histogram(
            f"{PREFIX}_frame_seconds",
            "From a lab's message to its frame, by whether it had to be computed.",
            ["source"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self._refusals = Counter(
            f"{PREFIX}_refusals",
            "Messages that got no frame, by why: refused, busy, full (too many sockets), draining.",
            ["why"],
            registry=self.registry,
        )
        self.labs = Gauge(f"{PREFIX}_labs_open", "Sockets of labs.", registry=self.registry)
        self._trainings = Gauge(
            f"{PREFIX}_trainings", "Trainings, by state.", ["state"], registry=self.registry
        )
        for why in ("refused", "busy", "full", "draining"):
            self._refusals.labels(why)
        for source in ("computed", "kept"):
            self._frames.labels(source)
        self.trainings({})

    def frame(self, seconds: float, kept: bool) -> None:
        """A frame went out; ``kept`` had been computed for an earlier message."""
        self._frames.labels("kept" if kept else "computed").observe(seconds)

    def refusal(self, why: str) -> None:
        """A message got no frame."""
        self._refusals.labels(why).inc()

    def trainings(self, counts: dict[str, int]) -> None:
        """How many trainings there are now, by state."""
        for state in ("running", "waiting"):
            self._trainings.labels(state).set(counts.get(state, 0))

    def watch(self, processes: Processes) -> None:
        """Tell the memory of these processes, too, whenever it is asked for."""
        self.registry.register(_Memory(processes))

    def text(self) -> bytes:
        """All of it, in Prometheus' text format."""
        return generate_latest(self.registry)


class _Memory(Collector):
    """Bytes that each kind of process holds; where the system does not tell, nothing."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes

    def collect(self) -> Iterator[Metric]:
        family = GaugeMetricFamily(
            f"{PREFIX}_memory_bytes",
            "Resident memory, by what the process does.",
            labels=["process"],
        )
        held: dict[str, int] = {}
        for kind, pid in self._processes():
            held[kind] = held.get(kind, 0) + resident(pid)
        for kind, size in held.items():
            if size:
                family.add_metric([kind], size)
        yield family


def resident(pid: int) -> int:
    """Bytes of memory that a process holds; 0 where it has ended or /proc does not tell."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
