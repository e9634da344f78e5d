"""A server of the labs for each file that has a fixture ``site``, and a browser's side of it."""

import pytest

from tests.server.serving import Browser, serving


@pytest.fixture(scope="module")
def url(site):
    with serving(site) as url:
        yield url


@pytest.fixture
def browser(url):
    with Browser(url) as browser:
        yield browser
