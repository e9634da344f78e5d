"""Run the Dockerfile's steps without a container engine: in a clean directory where nothing is
writable, with this environment's packages.
"""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.support.present import present
from tests.support.server import ROOT, free_port, serve, until

pytestmark = pytest.mark.long

LAST = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ").split("\nFROM ")[-1]
"""The last stage, a line for each instruction."""


def command(word: str) -> list[str]:
    return list(json.loads(present(re.search(rf"^{word} (.+)$", LAST, re.M))[1]))


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """Make the app's directory as the image has it."""
    folder = tmp_path / "app"
    folder.mkdir()
    rules = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    first, *rules = [one for one in rules if not one.startswith("#")]
    assert first == "*", "nothing is copied but what is named"
    ignored = shutil.ignore_patterns(*(one.removeprefix("**/") for one in rules if one[0] != "!"))
    for name in (one[1:] for one in rules if one[0] == "!"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder / name)
    script = next(one for one in re.findall(r"^RUN (.+)$", LAST, re.M) if "compileall" in one)
    run = script.replace("/opt/app/bin/python", sys.executable)
    subprocess.run(run, shell=True, cwd=folder, check=True)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    return folder


def written(folder: Path) -> dict[Path, int]:
    """Return when each file was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_the_image_runs_read_only_and_reports_ready(image: Path, tmp_path: Path) -> None:
    assert not (image / "tests").exists()
    assert not (image / ".git").exists()
    port = free_port()
    variables = dict(re.findall(r"(\w+)=(\S+)", present(re.search(r"^ENV (.+)$", LAST, re.M))[1]))
    python = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    variables |= {"PORT": port, "HOME": tmp_path, "PATH": python}
    variables["STREAMLIT_SERVER_BASE_URL_PATH"] = "gradients"
    alone = ["env", "-i", *(f"{name}={value}" for name, value in variables.items())]
    as_built = written(image)
    start = [*alone, *command("CMD")]
    with serve(start, port, "/readyz", cwd=image) as server:
        with urllib.request.urlopen(f"{server.url}/gradients/course") as answer:
            assert b"<title>" in answer.read()
        healthy = [*alone, *command("HEALTHCHECK.+? CMD")]
        # On a busy machine two seconds may be short: an engine asks again, too.
        until(lambda: subprocess.run(healthy, check=False).returncode == 0)
        healthy.insert(len(alone), "STREAMLIT_SERVER_PORT=1")
        assert subprocess.run(healthy, capture_output=True).returncode, "nobody listens there"
        assert "Traceback" not in server.log()
    assert written(image) == as_built, "something was written where the code lies"
