"""A server of the labs for each file that has a fixture ``site``, and a browser's side of it."""

from collections.abc import Iterator

import pytest

from pages.server.site import Site
from tests.server.serving import Browser, serving


@pytest.fixture(scope="module")
def url(site: Site) -> Iterator[str]:
    with serving(site) as url:
        yield url


@pytest.fixture
def browser(url: str) -> Iterator[Browser]:
    with Browser(url) as browser:
        yield browser
