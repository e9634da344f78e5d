"""The app in the tests' language, at a desk and on a phone: no English word is left on a page,
longer words fit, and axe finds nothing.
"""

import re
import shutil
from collections.abc import Iterator

import pytest
from tests.support.pseudo import APART, LANGUAGE, copy_in_pseudo

from tests.browser.looking import PATIENT, becomes, look
from tests.browser.test_accessibility import LOOKS, STATES, broken, ready
from tests.conftest import OpenPage
from tests.support.server import ROOT, Server, streamlit

# That no English word stands outside of an en.md is seen without a browser before each commit:
# tests/lessons/test_words.py and tests/pages/test_browser_words.py.
pytestmark = [pytest.mark.browser, pytest.mark.long]

WORD = re.compile(r"(?<![\w.])[A-Za-z][a-z’']*[a-z](?![\w’'])")
CODE = {
    *("relu", "clamp", "maximum", "round", "sign", "mul", "square", "identity"),
    *("Add", "Identity", "Mul", "Pow", "Square", "Sub", "Tanh"),
    *("dh", "dw", "dx", "dy", "dz"),
}
"""Names of code and of derivatives, which are the same in every language."""
PAGES = ("home", "choice", "training", "playground")
PAGES += ("course", "quiz", "glossary", "teach", "your_own_code")
NAMES = {"add", "clean", "cpu", "features", "input", "pow", "seen", "sqrt", "torch", "yu", "None"}
FILES = {"flip", "moons", "playground"}
# Streamlit shows these in English only.
STREAMLITS = ("Skip to main content", "Main menu", "Choose an option", "Open", "Copy to clipboard")
# A formula's annotation and label are its LaTeX.
TEXTS = """() => [...document.querySelectorAll("body *")].flatMap((one) => {
  if (one.closest("code, kbd, pre, script, style, textarea, tspan, [data-testid$=Material]")
      || one.localName === "annotation"
      || !one.checkVisibility({ visibilityProperty: true })) return [];
  const own = [...one.childNodes].filter((child) => child.nodeType === 3).map((c) => c.nodeValue);
  const names = one.localName === "math" ? [] : ["alt", "aria-label", "placeholder", "title"];
  return [...own, ...names.map((name) => one.getAttribute(name))];
}).filter((text) => text?.trim())"""
TOO_WIDE = """() => [document.scrollingElement, ...document.querySelectorAll(".stMain")]
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.className)"""


def english(text: str) -> set[str]:
    """The words without an accent that are not code."""
    return set(WORD.findall(APART.sub(" ", text))) - CODE


@pytest.fixture(scope="module")
def translated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("translated")
    copy_in_pseudo(folder)
    shutil.copy(ROOT / "app.py", folder)
    shutil.copytree(ROOT / ".streamlit", folder / ".streamlit")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIENT_TRICKS_LANGUAGE", LANGUAGE)
        with streamlit(folder / "app.py", cwd=folder) as server:
            yield server


@pytest.mark.parametrize("name", PAGES)
def test_a_page_in_another_language(translated: Server, open_page: OpenPage, name: str) -> None:
    path, selector, _ = STATES[name]
    # With patience that never ends: a page shows as soon as all of it is there.
    page = ready(open_page(f"{translated.url}{path}", script=PATIENT), selector)
    if page.locator(".gl-lab").count():
        page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
        for tab in page.locator(".gl-tab:visible").all():
            tab.click()
        for bar in page.locator(".gl-stepper .gl-range:visible").all():
            for key in ("Home", "ArrowRight", "ArrowRight"):  # to an op, with its rule
                bar.press(key)
        page.wait_for_timeout(1000)
    # Of the two themes, axe looks at one of each page.
    for width, theme in LOOKS if PAGES.index(name) % 2 else LOOKS[::-1]:
        look(page, width, theme)
        said = [one for one in page.evaluate(TEXTS) if one not in STREAMLITS]
        left = {one: english(one) - NAMES - FILES for one in said}
        assert not {one: words for one, words in left.items() if words}
        becomes(page, lambda: page.evaluate(TOO_WIDE), [], f"too wide at {width}")
    assert broken(page) == []
