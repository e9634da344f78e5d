"""What the server may use: as the environment, a container or the machine says."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pages.server import limits

GIGABYTE = 1 << 30


LayOut = Callable[[dict[str, str]], None]


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LayOut:
    """Lay out the container's group: files with what they say."""

    def laid(files: dict[str, str]) -> None:
        monkeypatch.delenv(limits.CORES, raising=False)
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(16), raising=False)
        monkeypatch.setattr(os, "sysconf", lambda _: 1 << 18, raising=False)  # 64 GB
        monkeypatch.setattr(limits, "GROUP", tmp_path)
        for path, text in files.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    return laid


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"cpu.max": "350000 100000\n"}, 3),
        ({"cpu.max": "50000 100000\n"}, 1),
        ({"cpu.max": "max 100000\n"}, 16),
        ({"cpu/cpu.cfs_quota_us": "200000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 2),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 16),
        ({}, 16),
    ],
)
def test_a_quota_counts_as_so_many_cores(group: LayOut, files: dict[str, str], cores: int) -> None:
    group(files)
    assert limits.cores() == cores


@pytest.mark.parametrize(
    ("files", "memory", "workers"),
    [
        ({"memory.max": f"{GIGABYTE}\n"}, GIGABYTE, 2),
        ({"memory.max": "max\n"}, 64 * GIGABYTE, 8),
        ({"memory/memory.limit_in_bytes": f"{GIGABYTE // 2}\n"}, GIGABYTE // 2, 1),
        ({"memory/memory.limit_in_bytes": "9223372036854771712\n"}, 64 * GIGABYTE, 8),
    ],
)
def test_there_are_as_many_workers_as_memory_allows(
    group: LayOut, files: dict[str, str], memory: int, workers: int
) -> None:
    group(files)
    assert limits.memory() == memory
    assert limits.workers() == workers


@pytest.mark.parametrize("given", ["x", "0", "-1", "1e3"])
def test_a_number_of_cores_that_is_none_is_refused(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(limits.CORES, given)
    with pytest.raises(ValueError, match=limits.CORES):
        limits.cores()


def test_an_owner_says_how_many_cores_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(limits.CORES, "3")
    assert limits.cores() == 3
