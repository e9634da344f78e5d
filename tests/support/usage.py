"""Memory and CPU time of a process and of all that it started, from Linux's /proc."""

import os
from collections.abc import Iterator
from pathlib import Path


def memory(pid: int) -> float:
    """MB that all of them hold; pages that they share count once."""
    shares = (
        int(line.split()[1])
        for one in _family(pid)
        for line in _read(one, "smaps_rollup").splitlines()
        if line.startswith("Pss:")
    )
    return sum(shares) / 1000


def cpu_seconds(pid: int) -> float:
    """User and system time of all of them."""
    stats = (_stat(one) for one in _family(pid))
    return sum(int(one[11]) + int(one[12]) for one in stats if one) / os.sysconf("SC_CLK_TCK")


def children(pid: int, command: str = "") -> list[int]:
    """The processes that it started itself whose command contains this, by their numbers."""
    found = [one for one, parent in _parents().items() if parent == pid]
    return sorted(one for one in found if command in _read(one, "cmdline").replace("\0", " "))


def _family(pid: int) -> Iterator[int]:
    """The process, its children, their children."""
    parents = _parents()
    found = [pid]
    for known in found:
        yield known
        found += [one for one, parent in parents.items() if parent == known]


def _parents() -> dict[int, int]:
    pids = [int(folder.name) for folder in Path("/proc").glob("[0-9]*")]
    return {pid: int(stat[1]) for pid in pids if (stat := _stat(pid))}


def _stat(pid: int) -> list[str]:
    """The fields of its stat file from the state on; none if it has ended."""
    return _read(pid, "stat").rpartition(")")[2].split()


def _read(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace")
    except OSError:  # it ended just now
        return ""
