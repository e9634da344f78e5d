"""What the server may use: as the environment, a container or the machine says."""

import pytest

from pages.server import limits

V1, V2 = "3:cpu,cpuacct:/a/b\n4:memory:/a\n0::/\n", "0::/a/b\n"


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """Lay out control groups: the process's own, and files with what they say."""

    def laid(own, **files):
        monkeypatch.delenv(limits.CORES, raising=False)
        monkeypatch.setattr(limits.os, "sched_getaffinity", lambda _: range(16), raising=False)
        monkeypatch.setattr(limits.os, "sysconf", lambda _: 1 << 18, raising=False)  # 64 GB
        monkeypatch.setattr(limits, "GROUPS", tmp_path)
        monkeypatch.setattr(limits, "OWN_GROUPS", tmp_path / "own")
        for path, text in ({"own": own} | files).items():
            file = tmp_path / path.replace("__", ".")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    return laid


QUOTAS = [
    (V2, {"a/b/cpu__max": "100000 100000\n"}, 1),
    (V2, {"a/cpu__max": "350000 100000\n", "a/b/cpu__max": "max 100000\n"}, 3),
    (V2, {"cpu__max": "50000 100000\n"}, 1),
    (V2, {"a/b/cpu__max": "max 100000\n"}, 16),
    (V1, {"cpu/a/cpu__cfs_quota_us": "200000\n", "cpu/a/cpu__cfs_period_us": "100000\n"}, 2),
    (V1, {"cpu/cpu__cfs_quota_us": "-1\n", "cpu/cpu__cfs_period_us": "100000\n"}, 16),
    ("", {}, 16),
]


@pytest.mark.parametrize(("own", "files", "cores"), QUOTAS)
def test_a_quota_counts_as_so_many_cores(groups, own, files, cores):
    groups(own, **files)
    assert limits.cores() == cores


GIGABYTE = 1 << 30


@pytest.mark.parametrize(
    ("own", "files", "memory", "workers"),
    [
        (V2, {"a/b/memory__max": f"{GIGABYTE}\n"}, GIGABYTE, 2),
        (V2, {"a/memory__max": f"{GIGABYTE // 2}\n", "a/b/memory__max": "max\n"}, GIGABYTE // 2, 1),
        (V1, {"memory/a/memory__limit_in_bytes": f"{4 * GIGABYTE}\n"}, 4 * GIGABYTE, 8),
        (V1, {"memory/memory__limit_in_bytes": "9223372036854771712\n"}, 64 * GIGABYTE, 8),
    ],
)
def test_there_are_as_many_workers_as_memory_allows(groups, own, files, memory, workers):
    groups(own, **files)
    assert limits.memory() == memory
    assert limits.workers() == workers


@pytest.mark.parametrize("given", ["x", "0", "-1", "1e3", "1000"])
def test_a_number_of_cores_that_is_none_is_refused(given, monkeypatch):
    monkeypatch.setenv(limits.CORES, given)
    with pytest.raises(ValueError, match=limits.CORES):
        limits.cores()
    monkeypatch.setenv(limits.CORES, "3")
    assert limits.cores() == 3
