"""One visitor after another in one browser: none finds anything of the one before.

What stays are the browser's caches. Streamlit and Plotly bring megabytes of script, and to fetch
and compile them anew is half of what a page costs.
"""

from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page

# What there is before a script of the page has run.
LOOK = """window.foundOnArrival = location.origin === "null" ? null : (async () => ({
  localStorage: Object.keys(localStorage),
  sessionStorage: Object.keys(sessionStorage),
  databases: (await indexedDB.databases()).map(({ name }) => name),
  caches: await caches.keys(),
  workers: (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
}))();"""


def newcomer(profile: BrowserContext, url: str, width: int, height: int, theme: str) -> Page:
    """An empty page for who is about to visit `url` for the first time.

    While another visitor is still there it is a page of a fresh context, without the caches.
    """
    if profile.pages:
        viewport = {"width": width, "height": height}
        return profile.browser.new_context(
            viewport=viewport, color_scheme=theme, bypass_csp=True
        ).new_page()
    profile.clear_cookies()
    profile.clear_permissions()
    page = profile.new_page()
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=theme)
    session = profile.new_cdp_session(page)
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
    session.detach()
    return page


def arrive(page: Page, url: str) -> None:
    """Go there for the first time, and make sure that nobody has left anything."""
    assert page.context.cookies() == [], "cookies of another visitor"
    assert page.context.pages == [page], "pages of another visitor"
    page.add_init_script(LOOK)
    page.goto(url)
    found = page.evaluate("window.foundOnArrival")
    assert not any(found.values()), f"left by another visitor: {found}"


def leave(profile: BrowserContext, page: Page) -> None:
    """Close the visitor's page and every page that was opened from it."""
    if page.context is not profile:
        page.context.close()
        return
    for one in profile.pages:
        one.close()
