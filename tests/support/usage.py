"""What a server and all that it started cost: memory and CPU time, as Linux has them in /proc."""

import os
from collections.abc import Iterator
from pathlib import Path

from tests.support.server import Server


def memory(server: Server) -> float:
    """MB that all of them hold; pages that they share count once."""
    shares = (
        int(line.split()[1])
        for pid in _family(server)
        for line in _read(pid, "smaps_rollup").splitlines()
        if line.startswith("Pss:")
    )
    return sum(shares) / 1000


def cpu_seconds(server: Server) -> float:
    """User and system time of all of them."""
    stats = (_stat(pid) for pid in _family(server))
    return sum(int(one[11]) + int(one[12]) for one in stats if one) / os.sysconf("SC_CLK_TCK")


def children(server: Server, command: str = "") -> list[int]:
    """Processes that the server itself started, and whose command has this in it, oldest first."""
    found = [pid for pid, parent in _parents().items() if parent == server.pid]
    return sorted(pid for pid in found if command in _read(pid, "cmdline").replace("\0", " "))


def _family(server: Server) -> Iterator[int]:
    """The server, its children, their children."""
    parents = _parents()
    found = [server.pid]
    for pid in found:
        yield pid
        found += [one for one, parent in parents.items() if parent == pid]


def _parents() -> dict[int, int]:
    pids = [int(folder.name) for folder in Path("/proc").glob("[0-9]*")]
    return {pid: int(stat[1]) for pid in pids if (stat := _stat(pid))}


def _stat(pid: int) -> list[str]:
    """The fields of a process's stat from its state on; none if it has ended."""
    return _read(pid, "stat").rpartition(")")[2].split()


def _read(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace")
    except OSError:  # it ended just now
        return ""
