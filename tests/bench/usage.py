"""What a server costs: memory and CPU time of its processes, as Linux has them in /proc.

A server begins a process group, which its workers join.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from tests.support.server import Server


def resident_memory(server: Server) -> float:
    """MB that the server's own process holds, without those that compute and train for it."""
    return resident(server.pid) / 1e6


def memory(server: Server) -> float:
    """MB of the server and all that work for it, what they share counted once."""
    kilobytes = 0
    for folder, fields in _processes():
        if _group(fields) == server.pid:
            try:
                rollup = (folder / "smaps_rollup").read_text()
            except OSError:  # it ended just now
                continue
            shares = [line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:")]
            kilobytes += sum(map(int, shares))
    return kilobytes / 1000


def cpu_seconds(server: Server) -> float:
    """User and system time of the server and all that work for it."""
    ticks = sum(
        int(fields[11]) + int(fields[12])
        for _, fields in _processes()
        if _group(fields) == server.pid
    )
    return ticks / os.sysconf("SC_CLK_TCK")


def children(server: Server, command: bytes) -> list[int]:
    """Processes that the server has started, and whose command has this in it, the oldest first."""
    found = []
    for folder, fields in _processes():
        if int(fields[1]) == server.pid:
            try:
                if command in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return sorted(found)


def _processes() -> Iterator[tuple[Path, list[str]]]:
    """Each process's folder, and the fields of its stat from the state on."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            yield folder, (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue


def _group(fields: list[str]) -> int:
    return int(fields[2])


def resident(pid: int) -> int:
    """Bytes of memory that a process holds; 0 where it has ended or /proc does not tell."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
