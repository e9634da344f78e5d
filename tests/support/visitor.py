"""One visitor after another in one browser: none finds anything of the one before.

What stays are the browser's caches, and the tab with its process: Streamlit and Plotly bring
megabytes of script, and to fetch, compile and warm them anew is more than half of what a page
costs. A tab that cannot be left as it was found is closed, and the next visitor gets another.
"""

from contextlib import suppress
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Error, Page

from tests.support.browser import Theme, new_context
from tests.support.present import present

NOWHERE = "about:blank"
# What there is before a script of the page has run.
LOOK = """window.foundOnArrival = location.origin === "null" ? null : (async () => ({
  localStorage: Object.keys(localStorage),
  sessionStorage: Object.keys(sessionStorage),
  databases: (await indexedDB.databases()).map(({ name }) => name),
  caches: await caches.keys(),
  workers: (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
  name: [...window.name],
}))();"""


class Tabs:
    """Tabs for visitors, each in a context of its own; the first has the profile's caches."""

    def __init__(self, profile: BrowserContext) -> None:
        self._unused = [profile]
        self._browser = present(profile.browser)
        self._free: list[Page] = []

    def newcomer(self, url: str, width: int, height: int, theme: Theme) -> Page:
        """An empty page for who is about to visit `url` for the first time.

        A tab that an earlier visitor has left, if there is one; two visitors share nothing.
        """
        page = self._free.pop() if self._free else self._new()
        page.context.clear_cookies()
        page.context.clear_permissions()
        page.context.set_offline(False)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(media="null", color_scheme=theme, reduced_motion="null")
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        session = page.context.new_cdp_session(page)
        session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        session.send("Page.resetNavigationHistory")
        session.detach()
        return page

    def leave(self, page: Page, keep: bool = True) -> None:
        """The visitor goes, and every page that was opened from this one closes.

        Args:
            keep: whether the tab may be the next visitor's.
        """
        context = page.context
        for one in context.pages:
            if one is not page:
                one.close()
        with suppress(Error):
            if keep:
                page.unroute_all(behavior="ignoreErrors")
                context.unroute_all(behavior="ignoreErrors")
                page.mouse.move(0, 0)
                page.goto(NOWHERE)
                page.evaluate("window.name = ''")
                self._free.append(page)
                return
        with suppress(Error):
            page.close()
        self._unused.append(context)

    def _new(self) -> Page:
        context = (
            self._unused.pop(0) if self._unused else new_context(self._browser, bypass_csp=True)
        )
        return context.new_page()


def arrive(page: Page, url: str) -> None:
    """Go there for the first time, and make sure that nobody has left anything."""
    assert page.context.cookies() == [], "cookies of another visitor"
    assert page.context.pages == [page], "pages of another visitor"
    with page.add_init_script(LOOK):
        page.goto(url)
    found = page.evaluate("window.foundOnArrival")
    assert not any(found.values()), f"left by another visitor: {found}"
    assert page.evaluate("history.length") <= 2, "places where another visitor was"
