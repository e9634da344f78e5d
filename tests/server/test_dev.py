"""``make dev``: what a browser gets after somebody has edited a lesson."""

import shutil
import sys
import urllib.request
from http.client import IncompleteRead
from pathlib import Path
from urllib.error import HTTPError, URLError

import pytest

from pages.server.forkserver import FORKS
from tests.support.server import ROOT, free_port, serve, until

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not FORKS, reason="it forks its servers")]


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def test_it_serves_each_edit_of_a_lesson_and_names_the_line_of_a_mistake(tmp_path: Path) -> None:
    for folder in ("lessons", "pages", ".streamlit"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / "app.py", tmp_path)
    port, flip = free_port(), tmp_path / "lessons/chapters/reversal/flip"
    settings = [f"STREAMLIT_SERVER_PORT={port}", "GRADIENT_TRICKS_DEV=1", "GRADIENT_TRICKS_CORES=1"]

    def frame() -> str:
        try:
            try:
                answer = urllib.request.urlopen(f"{server.url}/frame.json?lab=flip")
            except HTTPError as error:
                answer = error
            return str(answer.read(), "utf-8")
        except (ConnectionError, IncompleteRead, URLError):
            return ""  # an edit ended the server while it answered

    with serve(
        ["env", *settings, sys.executable, "-m", "pages.server"], port, "/readyz", tmp_path
    ) as server:
        assert "Scale λ" in frame()
        replace(flip / "en.md", "Scale λ", "Factor λ")
        until(lambda: "Factor λ" in frame())
        replace(flip / "lesson.py", "class Settings", "klass Settings")
        until(lambda: "line 18" in frame())
        replace(flip / "lesson.py", "klass Settings", "class Settings")
        until(lambda: "Factor λ" in frame())
