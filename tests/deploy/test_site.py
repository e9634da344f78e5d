"""The site as a class meets it in a browser: under a path, behind another proxy's TLS."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from deploy.listener import wait
from deploy.serve import HERE
from pages.ui.memory import COOKIE
from pages.ui.words import WORDS
from tests.browser.looking import ready
from tests.deploy.front import needs_nginx, started
from tests.support.server import START_SECONDS, Server, free_port, until
from tests.support.site import replicas, site

pytestmark = [pytest.mark.browser, pytest.mark.long]

OUTSIDE = """
events {{}}
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
def served() -> Iterator[Server]:
    needs_nginx()
    with site(2, "gradients") as server:
        yield server


@pytest.fixture(scope="module")
def outside(served, tmp_path_factory) -> Iterator[str]:
    """Run another proxy, with TLS, in front; yield its address."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed here")
    folder, port = tmp_path_factory.mktemp("outside"), free_port()
    inside = served.url.rpartition(":")[2]
    (folder / "nginx.conf").write_text(OUTSIDE.format(port=port, inside=inside), "utf-8")
    made = ["-keyout", "key.pem", "-out", "certificate.pem", "-subj", "/CN=127.0.0.1"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *made],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    with started(folder, port):
        yield f"https://127.0.0.1:{port}/gradients"


def set_to(page, value):
    expect(page).to_have_url(re.compile(rf"[?&]scale={value}(&|$)"))


@pytest.fixture
def secure(outside, browser: Browser) -> Iterator[BrowserContext]:
    """A browser that has been nowhere."""
    context = browser.new_context(ignore_https_errors=True, viewport={"width": 1280, "height": 800})
    yield context
    context.close()


def is_at(page, step):
    """The page shows this step of its lesson."""
    here = page.locator("nav [aria-current=step]")
    expect(here).to_have_attribute("aria-label", re.compile(f"^Step {step}:"))


def test_a_learner_goes_on_when_processes_are_killed(served, outside, secure):
    page = secure.new_page()
    asked, sockets, errors = [], [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{outside}/reversal?lesson=flip&scale=1.2")
    ready(page)
    slider = page.locator("[data-control=scale] input[type=range]")
    slider.press("ArrowRight")
    set_to(page, "1.3")
    names = {cookie["name"]: cookie for cookie in secure.cookies()}
    replica = names["gradient_tricks_replica"]
    assert (replica["path"], replica["secure"]) == ("/gradients/", True)
    away = [one for one in asked if not one.startswith((outside, "data:", "blob:"))]
    assert not away, "the page asks for something outside the path"
    assert all(one.startswith(outside.replace("https", "wss")) for one in sockets)
    for number, pid in enumerate(replicas(served)):
        os.killpg(pid, signal.SIGKILL)
        slider.press("ArrowRight")
        set_to(page, f"1.{4 + number}")  # only a frame of the server writes it
        page.wait_for_selector(".stApp[data-test-connection-state=CONNECTED]")
        until_all_answer(served)
    # The page itself goes on as well.
    page.locator(".st-key-next button").click()
    is_at(page, 2)
    assert not errors


def test_what_is_remembered_stays_below_the_path_and_goes_by_tls_alone(outside, secure):
    """A cookie at the root belongs to another app there: it is neither read nor changed."""
    host = outside.removesuffix("/gradients")
    secure.add_cookies([{"name": COOKIE, "value": "2!wrong_place:3", "url": f"{host}/"}])
    page = secure.new_page()
    page.goto(f"{outside}/stop_gradient?lesson=wrong_place")
    ready(page)
    is_at(page, 1)
    page.goto(f"{outside}/reversal?lesson=flip")
    ready(page)
    page.locator(".st-key-next button").click()
    ours = comes_to_keep(secure, f"{COOKIE}_gradients", "2!flip:2")
    assert (ours["path"], ours["secure"]) == ("/gradients/", True)
    comes_to_keep(secure, COOKIE, "2!wrong_place:3")
    page.goto(f"{outside}/course")
    page.get_by_role("button", name=WORDS("forget_progress")).click()
    page.get_by_role("button", name=WORDS("forget_everything")).click()
    comes_to_keep(secure, f"{COOKIE}_gradients", "")
    page.goto(f"{outside}/reversal?lesson=flip")
    ready(page)
    is_at(page, 1)


def comes_to_keep(context, name, value):
    """Wait until the cookie of that name has this value, and return the cookie."""
    wanted = (name, value)
    (cookie,) = until(
        lambda: [one for one in context.cookies() if (one["name"], one["value"]) == wanted], 30
    )
    return cookie


def test_a_class_that_opens_a_link_at_once_is_within_the_bounds(outside, secure):
    """A first visit's requests, five hundred times at one moment from one address, are allowed."""
    page, asked = secure.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.goto(f"{outside}/reversal?lesson=moons&step=2")
    ready(page)
    page.wait_for_timeout(3000)  # what comes once the first chart is there
    ours = [one.partition("/gradients/")[2] for one in asked if not one.startswith("blob:")]
    files = [one for one in ours if one.startswith(("files/", "static/"))]
    counted = len(ours) - len(files)
    assert files
    template = (HERE / "site.conf.template").read_text("utf-8")
    bursts = dict(re.findall(r"limit_req zone=(\w+) burst=(\d+)", template))
    assert 500 * counted <= int(bursts["requests"]), counted
    assert 500 * len(files) <= int(bursts["fingerprinted"]), len(files)


def until_all_answer(served):
    """Wait until every process takes learners, also one that was killed."""
    until(lambda: len(replicas(served)) == 4, START_SECONDS)
    for pid in replicas(served):
        variables = Path(f"/proc/{pid}/environ").read_text("utf-8")
        port = re.search(r"STREAMLIT_SERVER_PORT=(\d+)", variables)[1]
        wait(f"http://127.0.0.1:{port}/readyz")
