"""Run the Dockerfile's steps without a container engine: in a clean directory where nothing is
writable, with this environment's packages.
"""

import fnmatch
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time
import urllib.request

import pytest

from deploy.listener import wait
from tests.support.server import ROOT, free_port

pytestmark = [pytest.mark.slow, pytest.mark.long]

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")


def copied(folder):
    """What ``COPY . .`` takes, by the rules of .dockerignore that ours uses."""
    lines = [one for one in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if one]
    rules = [one for one in lines if not one.startswith("#")]
    assert rules[0] == "*", "all is left out but what is named"
    taken = [one[1:] for one in rules if one.startswith("!")]
    left = [one.removeprefix("**/") for one in rules[1:] if not one.startswith("!")]
    for name in taken:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns(*left))
        else:
            assert not any(fnmatch.fnmatch(name, rule) for rule in left)
            shutil.copy(source, folder / name)


def environment():
    """What its last stage sets with ENV."""
    last = DOCKERFILE.split("\nFROM ")[-1]
    (line,) = re.findall(r"^ENV (.+)$", last, re.MULTILINE)
    return dict(re.findall(r"(\w+)=(\S+)", line))


def command(word):
    last = DOCKERFILE.split("\nFROM ")[-1]
    found = re.findall(rf"{word} (\[.+\])", last)
    return json.loads(found[-1])


@pytest.fixture
def image(tmp_path):
    """The directory of the app as the image has it; nothing in it can be written."""
    folder = tmp_path / "app"
    folder.mkdir()
    copied(folder)
    script = next(one for one in re.findall(r"^RUN (.+)$", DOCKERFILE, re.M) if "compileall" in one)
    run = script.replace("/opt/app/bin/python", sys.executable)
    subprocess.run(run, shell=True, cwd=folder, check=True)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    yield folder
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)


def test_what_is_copied_runs_reads_alone_and_says_that_it_is_ready(image, tmp_path):
    assert not (image / "tests").exists()
    assert not (image / ".git").exists()
    port = free_port()
    told = environment()
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LD_LIBRARY_PATH", "LANG")}
    env = {**kept, **{k: v for k, v in told.items() if k != "PATH"}}
    env |= {"STREAMLIT_SERVER_PORT": str(port), "STREAMLIT_SERVER_ADDRESS": "127.0.0.1"}
    env |= {"HOME": str(tmp_path)}
    start = [sys.executable, *command("CMD")[1:]]
    as_built = written(image)
    process = subprocess.Popen(
        start, cwd=image, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        wait(f"http://127.0.0.1:{port}/readyz")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/lessons/flip") as answer:
            assert json.load(answer)["slug"] == "flip"
        check = command("HEALTHCHECK.*?CMD")
        healthy = [sys.executable, *check[1:-1], check[-1].replace("8501", str(port))]
        # An engine asks three times too, and two seconds are short where others keep it busy.
        assert any(subprocess.run(healthy, check=False).returncode == 0 for _ in range(3))
        begun = time.monotonic()
        process.terminate()
        said, _ = process.communicate(timeout=60)
        assert time.monotonic() - begun < 10
    finally:
        process.kill()
    for line in said.decode().splitlines():
        json.loads(line)  # as GRADIENT_TRICKS_LOG=json asks for
    assert written(image) == as_built, "something was written where the code lies"


def written(folder):
    """What lies there, and when each was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
