"""The audit notices what it is there for."""

from pathlib import Path

from tests.audit.__main__ import EXCUSED, not_free, vulnerable

ROOT = Path(__file__).parents[2]


def test_a_known_vulnerability_is_told_with_the_version_that_mends_it():
    bug = {"id": "PYSEC-1", "fix_versions": ["2.1"]}
    found, known = vulnerable(
        [
            {"name": "good", "version": "1", "vulns": []},
            {"name": "bad", "version": "2.0", "vulns": [bug, {"id": "X-2", "fix_versions": []}]},
            {"name": "unknown", "skip_reason": "not found"},
        ]
    )
    assert found == ["bad 2.0: PYSEC-1, mended in 2.1", "bad 2.0: X-2, mended in no version yet"]
    assert known == 2


def test_a_licence_that_is_not_free_is_named():
    packages = [
        {"Name": "a", "Version": "1", "License": "MIT License"},
        {"Name": "b", "Version": "1", "License": "BSD-3-Clause AND 0BSD"},
        {"Name": "c", "Version": "1", "License": "GPL-3.0-only"},
        {"Name": "d", "Version": "1", "License": "Commercial"},
        {"Name": "e", "Version": "1", "License": "UNKNOWN"},
    ]
    assert [one.split()[0] for one in not_free(packages)] == ["c", "d", "e"]


def test_only_tools_of_the_tests_are_excused():
    ours, tests = (
        {line.partition("==")[0] for line in (ROOT / name).read_text().splitlines()}
        for name in ("requirements.txt", "tests/requirements.txt")
    )
    assert EXCUSED.keys() <= tests
    assert not EXCUSED.keys() & ours
