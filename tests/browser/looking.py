"""What the browser's tests look for on a page with a lab."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page

LAB = '.gl-lab[data-ready="true"]'


def ready(page: Page) -> Page:
    """The same page, once its lab is drawn."""
    page.wait_for_selector(LAB, timeout=90_000)  # the first page of a fresh server
    return page


def caught_up(page: Page) -> None:
    """Wait until Plotly itself has drawn the newest frame, and not only the quick drawing."""
    page.wait_for_function(
        "(({seq, caughtUp}) => seq && seq === caughtUp)(document.querySelector('.gl-lab').dataset)"
    )


def look(page: Page, width: int, theme: str) -> None:
    """At the page in another window, by other light: it changes at once, as the system's does."""
    page.set_viewport_size({"width": width, "height": 844 if width < 500 else 800})
    page.emulate_media(color_scheme=theme)
    paper = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    dark = f"{paper}.match(/\\d+/g).every((one) => one < 100) === {str(theme == 'dark').lower()}"
    page.wait_for_function(dark)


def control(page: Page, name: str, part: str = "input") -> Locator:
    return page.locator(f'[data-control="{name}"] {part}').first


def exact(page: Page, name: str) -> Locator:
    """The field for the exact number of a slider."""
    return control(page, name, ".gl-exact")


def cells(page: Page) -> list[list[str]]:
    """The table of the lab."""
    return page.locator("[data-table] tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td, th')].map(one => one.innerText))"
    )


def asked(page: Page) -> dict[str, str]:
    """What the address asks for."""
    return {name: text for name, (text,) in parse_qs(urlsplit(page.url).query).items()}


def edge(page: Page, name: str) -> Locator:
    return page.locator(f'.gl-edge[data-id="{name}"]')


def node(page: Page, name: str) -> Locator:
    return page.locator(f'.gl-node[data-id="{name}"]')


def button(page: Page, name: str) -> Locator:
    """One of the stepper's."""
    return page.locator(".gl-stepper").get_by_role("button", name=name)


def press_on(page: Page, name: str, key: str) -> None:
    edge(page, name).focus()
    page.keyboard.press(key)
