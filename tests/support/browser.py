"""Finds a Chromium for the tests, or gets one; a test is never skipped for want of a browser.

Asked in this order: the environment variable CHROME_PATH, the system, Playwright's own download.
`python -m tests.support.browser` (which `make test` calls) also starts what it found, and where
nothing starts tries Playwright's download, then Debian's package when root.

A headless shell is the same browser without a window's parts, and a page costs it a third less: the
tests take it where there is one, and `python -m tests.support.browser shell` tries to get one. What
is measured or photographed is what users have, the whole browser.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Page,
    Playwright,
    sync_playwright,
)

Theme = Literal["dark", "light"]
FLAGS = [
    "--no-sandbox",  # the sandbox refuses to start as root and in most containers
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BRIEF = "--js-flags=--no-maglev --no-turbofan"
"""A visit in a test is over before compiled code has saved what it cost to make."""
SHELL = "chromium-headless-shell"
PATIENCE = 180
"""Seconds for which a test waits for anything in a browser: a busy machine may need a minute."""
SYSTEM = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
]
NONE = """No Chromium could be started for the browser tests. Any one of these helps:
  - install Chromium or Google Chrome on the system (Debian: apt-get install chromium)
  - .venv/bin/playwright install --with-deps chromium
  - CHROME_PATH=/path/to/chrome make test"""


def new_context(browser: Browser, **settings: Any) -> BrowserContext:
    """A visitor's context whose waits have our patience."""
    context = browser.new_context(**settings)
    context.set_default_timeout(1000 * PATIENCE)
    return context


def new_page(browser: Browser, **settings: Any) -> Page:
    """A page in a context of its own, which closes with the page; its waits have our patience."""
    page = browser.new_page(**settings)
    page.context.set_default_timeout(1000 * PATIENCE)
    return page


def find(playwright: Playwright) -> str | None:
    """The path of the browser to use, or None. Nothing is downloaded."""
    if named := os.environ.get("CHROME_PATH"):
        return named
    for name in SYSTEM:
        if (path := shutil.which(name)) and _answers(path):
            return path
    own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def launch(playwright: Playwright, *flags: str, without: Sequence[str] = ()) -> Browser:
    """Start the browser that `find` found, with these flags and without some of Playwright's."""
    return playwright.chromium.launch(
        executable_path=_path(playwright),
        args=[*FLAGS, *flags],
        ignore_default_args=[*without],
        timeout=1000 * PATIENCE,
    )


def launch_with_profile(playwright: Playwright) -> BrowserContext:
    """Start the browser that `find` found, with a profile in a temporary folder, which alone keeps
    scripts as compiled.

    Its pages may evaluate text, which Playwright does while it waits and the app's policy forbids.
    """
    return _with_profile(playwright, _path(playwright), FLAGS)


def launch_shell_with_profile(playwright: Playwright) -> BrowserContext:
    """Start a headless shell with a profile, the system's or Playwright's; where there is none, or
    CHROME_PATH names a browser, start that of `find`.
    """
    flags = [*FLAGS, BRIEF]
    if not os.environ.get("CHROME_PATH"):
        with contextlib.suppress(Error):
            return _with_profile(playwright, shutil.which(SHELL), flags)
    return _with_profile(playwright, _path(playwright), flags)


def _with_profile(playwright: Playwright, path: str | None, flags: list[str]) -> BrowserContext:
    """Start the browser of this path, or Playwright's own headless shell."""
    return playwright.chromium.launch_persistent_context(
        "", executable_path=path, args=flags, bypass_csp=True, timeout=1000 * PATIENCE
    )


def _path(playwright: Playwright) -> str:
    path = find(playwright)
    if path is None:
        raise RuntimeError(NONE)
    return path


def _answers(path: str) -> bool:
    """Whether this is a browser: Ubuntu's chromium-browser may only tell you to install another."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and b"Chrom" in done.stdout


def _download(*options: str) -> None:
    subprocess.run([sys.executable, "-m", "playwright", "install", *options, "chromium"])


def _apt(package: str = "chromium") -> None:
    if shutil.which("apt-get") and os.geteuid() == 0:
        env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        with contextlib.suppress(subprocess.TimeoutExpired):  # packages that cannot be reached
            subprocess.run(["apt-get", "update", "-q"], env=env, timeout=120)
            subprocess.run(["apt-get", "install", "-q", "-y", package], env=env, timeout=300)


def get_shell() -> None:
    """Try to get a headless shell: Debian's, or Playwright's; nothing depends on it."""
    if not shutil.which(SHELL):
        _apt(SHELL)
    if not shutil.which(SHELL):
        _download("--only-shell")


def main() -> int:
    """Make sure that a browser starts; 0 when it does."""
    # A browser asked for by its path is that one or none.
    ways = (None,) if os.environ.get("CHROME_PATH") else (None, _download, _apt)
    for get_one in ways:
        if get_one:
            get_one()
        with sync_playwright() as playwright:
            try:
                with launch(playwright) as browser:
                    print(f"Browser for the tests: Chromium {browser.version}")
                    return 0
            except (Error, RuntimeError) as error:
                failure = str(error)
    # Playwright repeats its command line many times over; what the browser said is in between.
    lines = [line for line in failure.split("Call log:")[0].splitlines() if "<launch" not in line]
    print("\n".join(lines if NONE in failure else [*lines, NONE]), file=sys.stderr)
    return 1


if __name__ == "__main__":
    if sys.argv[1:] == ["shell"]:
        get_shell()
    else:
        sys.exit(main())
