"""The site as a class meets it: two replicas behind nginx, under a path, behind another's TLS.

A browser walks through it while a replica is killed. Needs nginx; without it, skipped.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from deploy.serve import HERE, nginx
from pages.ui.memory import COOKIE
from tests.bench.replicas import replicas, wait_for_all
from tests.browser.looking import ready
from tests.support.server import (
    START_SECONDS,
    Server,
    free_port,
    serve,
    wait_until_it_listens,
)

pytestmark = [pytest.mark.browser, pytest.mark.long]

OUTSIDE = """
events {{}}
pid outside.pid;
error_log stderr crit;
http {{
    access_log off;
    map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate certificate.pem;
        ssl_certificate_key key.pem;
        location /gradients/ {{
            proxy_pass http://127.0.0.1:{inside};
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-Proto https;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
        }}
    }}
}}
"""


@pytest.fixture(scope="module")
def site() -> Iterator[Server]:
    if nginx() is None:
        pytest.skip("nginx is not installed here")
    port, first = free_port(), free_port()
    command = [sys.executable, "-m", "deploy.serve", "--replicas", "2"]
    command += ["--base", "gradients", "--listen", f"127.0.0.1:{port}", "--first-port", str(first)]
    with serve(command, port, "/gradients/readyz") as server:
        wait_for_all(server)
        yield server


@pytest.fixture(scope="module")
def outside(site, tmp_path_factory) -> Iterator[str]:
    """The address of a proxy that is not ours, with TLS."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed here")
    folder, port = tmp_path_factory.mktemp("outside"), free_port()
    inside = site.url.rpartition(":")[2]
    (folder / "nginx.conf").write_text(OUTSIDE.format(port=port, inside=inside), "utf-8")
    made = ["-keyout", "key.pem", "-out", "certificate.pem", "-subj", "/CN=127.0.0.1"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *made],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    run = [nginx(), "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]
    process = subprocess.Popen(run)
    try:
        wait_until_it_listens(port, process)
        yield f"https://127.0.0.1:{port}/gradients"
    finally:
        process.terminate()
        process.wait()


def set_to(page, value):
    expect(page).to_have_url(re.compile(rf"[?&]scale={value}(&|$)"))


def test_a_learner_goes_on_when_a_replica_is_killed(site, outside, browser: Browser):
    context = browser.new_context(ignore_https_errors=True, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    asked, sockets, errors = [], [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{outside}/reversal?lesson=flip&scale=1.5")
    ready(page)
    slider = page.locator("[data-control=scale] input[type=range]")
    slider.press("ArrowRight")
    set_to(page, "1.6")
    names = {cookie["name"]: cookie for cookie in context.cookies()}
    replica = names["gradient_tricks_replica"]
    assert (replica["path"], replica["secure"]) == ("/gradients/", True)
    away = [one for one in asked if not one.startswith((outside, "data:", "blob:"))]
    assert not away, "something is asked for beside the path"
    assert all(one.startswith(outside.replace("https", "wss")) for one in sockets)
    for number, pid in enumerate(replicas(site)):
        os.killpg(pid, signal.SIGKILL)
        slider.press("ArrowRight")
        set_to(page, f"1.{7 + number}")  # only a frame of the server writes it
        page.wait_for_selector(".stApp[data-test-connection-state=CONNECTED]")
        wait_until_both(site)
    # The page itself goes on as well.
    words = page.locator(".st-key-words")
    words.get_by_role("button", name="Next").click()
    expect(words).to_contain_text("Step 2 of")
    assert not errors
    context.close()


@pytest.fixture
def secure(outside, browser: Browser) -> Iterator[BrowserContext]:
    """A browser that has been nowhere."""
    context = browser.new_context(ignore_https_errors=True, viewport={"width": 1280, "height": 800})
    yield context
    context.close()


def test_what_is_remembered_stays_below_the_path_and_goes_by_tls_alone(outside, secure):
    """And who was here when it lay at the root has lost nothing."""
    host = outside.removesuffix("/gradients")
    secure.add_cookies([{"name": COOKIE, "value": "2!wrong_place:3", "url": f"{host}/"}])
    page = secure.new_page()
    page.goto(f"{outside}/stop_gradient?lesson=wrong_place")
    ready(page)
    expect(page.locator(".gt-eyebrow").first).to_contain_text("Step 3 of")
    page.goto(f"{outside}/reversal?lesson=flip")
    ready(page)
    page.locator(".st-key-next button").click()
    ours = comes_to_keep(secure, f"{COOKIE}_gradients", "2!wrong_place:3/flip:2")
    assert (ours["path"], ours["secure"]) == ("/gradients/", True)
    comes_to_keep(secure, COOKIE, "2!wrong_place:3")  # another app at the root may need it
    page.goto(f"{outside}/")
    ready(page)
    page.get_by_role("button", name="Forget my progress").click()
    page.get_by_role("button", name="Forget it all").click()
    comes_to_keep(secure, f"{COOKIE}_gradients", "")
    page.goto(f"{outside}/reversal?lesson=flip")
    ready(page)
    expect(page.locator(".gt-eyebrow").first).to_contain_text("Step 1 of")


def comes_to_keep(context, name, value):
    """Wait until the cookie of that name has this value; back comes the whole of it."""
    until = time.monotonic() + 30
    while True:
        kept = {one["name"]: one for one in context.cookies()}
        if name in kept and kept[name]["value"] == value:
            return kept[name]
        assert time.monotonic() < until, kept
        time.sleep(0.05)


def test_a_class_that_opens_a_link_at_once_is_within_the_bounds(outside, secure):
    """What a first visit asks for, five hundred times at one moment, from one address."""
    page, asked = secure.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.goto(f"{outside}/reversal?lesson=moons&step=2")
    ready(page)
    page.wait_for_timeout(3000)  # what comes once the first chart is there
    ours = [one.partition("/gradients/")[2] for one in asked if not one.startswith("blob:")]
    files = [one for one in ours if one.startswith(("files/", "static/"))]
    counted = len(ours) - len(files)
    assert len(files) > 100
    template = (HERE / "site.conf.template").read_text("utf-8")
    bursts = dict(re.findall(r"limit_req zone=(\w+) burst=(\d+)", template))
    assert 500 * counted <= int(bursts["requests"]), counted
    assert 500 * len(files) <= int(bursts["fingerprinted"]), len(files)


def wait_until_both(site):
    """Until the one that was killed takes learners again: it listens only then."""
    until = time.monotonic() + START_SECONDS
    asked = Path(f"/proc/{site.pid}/cmdline").read_bytes().decode().split("\0")
    first = int(asked[asked.index("--first-port") + 1])
    while not all(answers(first + n, "/readyz") for n in range(2)):
        assert time.monotonic() < until, site.log()
        time.sleep(0.2)


def answers(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False
