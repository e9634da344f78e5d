"""Reads how many cores, files and how much memory the server may use, in a container or outside."""

import os
from contextlib import suppress
from pathlib import Path

CORES = "GRADIENT_TRICKS_CORES"
# Linux limits groups of processes. A container finds its own group here, in version 1 or 2.
GROUP = Path("/sys/fs/cgroup")
MOST_CORES = 8
BASE, PER_CORE = 640e6, 200e6
"""Bytes of all processes without workers (620 MB once all pages were opened), and of the workers
for one core."""


def cores() -> int:
    """Count the cores that this server may keep busy, or take the number in the environment.

    Raises:
        ValueError: the environment has something else than a number.
    """
    if given := os.environ.get(CORES):
        if not (given.isascii() and given.isdigit() and int(given)):
            raise ValueError(f"{CORES} is a number of cores, 1 or more, not {given!r}.")
        return int(given)
    pinned = hasattr(os, "sched_getaffinity")  # by a container or a batch system
    count = len(os.sched_getaffinity(0)) if pinned else os.cpu_count() or 1
    quotas = _numbers_in("cpu.max"), _numbers_in("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us")
    return max(1, min([count, *(one[0] // one[1] for one in quotas if one and one[0] > 0)]))


def memory() -> float:
    """Return how many bytes this server may use."""
    limits = [*_numbers_in("memory.max"), *_numbers_in("memory/memory.limit_in_bytes")]
    if hasattr(os, "sysconf"):  # Windows has none
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(limits, default=float("inf"))


def workers() -> int:
    """Return the number of cores to start workers for, as far as memory allows."""
    return max(1, min(MOST_CORES, cores(), int((memory() - BASE) / PER_CORE)))


def raise_file_limit() -> int:
    """Raise this process's limit of open files as far as it may be, and return it."""
    if os.name == "nt":
        return 1 << 20
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most if most != resource.RLIM_INFINITY else 1 << 20


def _numbers_in(*names: str) -> list[int]:
    """Return the numbers in these files of the container's group; none if it sets no limit."""
    with suppress(OSError, ValueError):  # there is no such file, or it says "max"
        return [int(word) for name in names for word in (GROUP / name).read_text().split()]
    return []
