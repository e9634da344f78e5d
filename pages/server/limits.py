"""Reads how many cores and how much memory the server may use, in a container or outside."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

CORES = "GRADIENT_TRICKS_CORES"
# Linux limits groups of processes; version 1 has a tree of groups for each kind of limit.
GROUPS, OWN_GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
MOST_CORES = 8
BASE, PER_CORE = 480e6, 200e6
"""Bytes of all processes without workers (460 MB at rest), and of the workers for one core."""


def cores() -> int:
    """Count the cores that this server may keep busy, or take the number in the environment.

    Raises:
        ValueError: the environment has something else than a number.
    """
    if given := os.environ.get(CORES, ""):
        if not (given.isascii() and given.isdigit() and 0 < int(given) < 1000):
            raise ValueError(f"{CORES} is a number of cores, 1 or more, not {given!r}.")
        return int(given)
    pinned = hasattr(os, "sched_getaffinity")  # by a container or a batch system
    count = len(os.sched_getaffinity(0)) if pinned else os.cpu_count() or 1
    quotas = (
        *_numbers_in("", "cpu.max"),
        *_numbers_in("cpu", "cpu.cfs_quota_us", "cpu.cfs_period_us"),
    )
    return max(1, min([count, *(quota // period for quota, period in quotas if quota > 0)]))


def memory() -> float:
    """Return how many bytes this server may use."""
    limits = [*_numbers_in("", "memory.max"), *_numbers_in("memory", "memory.limit_in_bytes")]
    if hasattr(os, "sysconf"):  # Windows has none
        limits.append([os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")])
    return min((limit for (limit,) in limits), default=float("inf"))


def workers() -> int:
    """Return the number of cores to start workers for, as far as memory allows."""
    return max(1, min(MOST_CORES, cores(), int((memory() - BASE) / PER_CORE)))


def _numbers_in(kind: str, *names: str) -> Iterator[list[int]]:
    """Yield the numbers in these files, for the group of this process and for each one above."""
    lines = OWN_GROUPS.read_text().splitlines() if OWN_GROUPS.exists() else []
    for _, kinds, path in (line.split(":", 2) for line in lines):
        if kind in kinds.split(","):
            group = GROUPS / kind / path.strip("/")
            for folder in (group, *group.parents[: len(group.parts) - len(GROUPS.parts)]):
                # The group sets no limit ("max"), or the container doesn't see the group's path.
                with suppress(OSError, ValueError):
                    yield [
                        int(word) for name in names for word in (folder / name).read_text().split()
                    ]
