"""A server of the labs' route for each file that has a ``workshop``, and a browser's side of it."""

import pytest

from tests.server.serving import Browser, serving


@pytest.fixture(scope="module")
def url(workshop):
    with serving(workshop) as url:
        yield url


@pytest.fixture
def browser(url):
    with Browser(url) as browser:
        yield browser
