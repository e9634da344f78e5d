"""What is the same is lit together, in lessons of every kind and in the playground."""

import pytest
from playwright.sync_api import Page

from tests.browser.looking import becomes, box_of, control, node, open_drawers, ready
from tests.conftest import OpenPage
from tests.support.amount import also

pytestmark = pytest.mark.browser


def whole(page: Page) -> Page:
    """The same page, with all drawers open."""
    ready(page)
    open_drawers(page, *page.locator(".gl-tab").all_inner_texts())
    page.locator("[data-table]").wait_for()
    page.locator(".js-line").first.wait_for(state="attached")
    page.wait_for_timeout(500)
    return page


def lit(page: Page, selector: str) -> list[str]:
    """What of this kind is lit, as it reads."""
    found: list[str] = page.locator(f"{selector}.gl-lit").evaluate_all(
        "all => all.map((one) => one.dataset.id ?? one.textContent.trim())"
    )
    return found


def bright(page: Page) -> set[str]:
    """The roles whose lines stand out in some chart, the others faded."""
    return set(
        page.evaluate(
            """() => {
              const probe = document.body.appendChild(document.createElement('i'));
              const inks = getComputedStyle(document.querySelector('.gl-lab'));
              const roles = {};
              const gradients = ["trick", "true", "intended"].map((one) => `${one}_gradient`);
              for (const role of ["forward", ...gradients]) {
                probe.style.color = inks.getPropertyValue(`--role-${role}`);
                roles[getComputedStyle(probe).color] = role;
              }
              probe.remove();
              return [...document.querySelectorAll('.gl-plot.gl-lit .trace')]
                .filter((trace) => Number(getComputedStyle(trace).opacity) === 1)
                .flatMap((trace) => [...trace.querySelectorAll('.js-line, .point, .js-fill, text')])
                .map((part) => getComputedStyle(part))
                .flatMap(({ stroke, fill }) => roles[stroke] ?? roles[fill] ?? []);
            }"""
        )
    )


@pytest.mark.parametrize(
    ("address", "point", "column"),
    [
        ("clipping?lesson=value_or_norm", "w", "by value"),
        *also(
            ("reversal?lesson=two_players", "w1", "autograd"),
            ("in_the_wild?lesson=value_one", "x", "autograd"),
        ),
    ],
)
def test_an_input_lights_its_gradient_and_is_lit_by_it(
    address: str, point: str, column: str, bare: str, open_page: OpenPage
) -> None:
    page = whole(open_page(f"{bare}/{address}&step=99", height=2000))

    def head_lit() -> list[str]:
        node(page, point).blur()
        node(page, point).focus()
        return lit(page, "[data-table] th")

    becomes(page, head_lit, [column])  # what belongs together comes with a later frame
    assert bright(page) == {"trick_gradient"}
    # The other way round: from the column's head, and from a number under it.
    place = page.locator("[data-table] th").all_inner_texts().index(column)
    for part in ("th", "tbody tr:first-child td"):
        page.locator(f"[data-table] {part}").nth(place).hover()
        assert bright(page) == {"trick_gradient"}
        assert point in lit(page, ".gl-node")
        page.mouse.move(5, 5)
        assert lit(page, ".gl-node") == []


def test_the_key_lights_its_lines_and_is_lit_by_an_input(bare: str, open_page: OpenPage) -> None:
    page = whole(open_page(f"{bare}/stop_gradient?lesson=right_place&step=99", height=2000))
    entry = page.locator(".gl-key .gl-entry", has_text="true gradient")
    entry.hover()
    assert bright(page) == {"true_gradient"}
    assert lit(page, "[data-table] th") == ["true"]
    page.mouse.move(5, 5)
    assert bright(page) == set()
    for name, entries in (("x", 1), ("pow:0", 1), ("add", 0)):  # its one edge stands for an input
        page.locator(f'.gl-svg [data-id="{name}"]').focus()
        assert len(lit(page, ".gl-entry")) == entries


def test_in_the_playground_program_code_and_graph_are_linked(
    bare: str, open_page: OpenPage
) -> None:
    page = whole(open_page(f"{bare}/playground?preset=right_place", height=2400))
    node(page, "add").focus()
    line = "z_fixed = stop_gradient(z - torch.sqrt(y)) + torch.sqrt(y)"
    assert lit(page, ".gt-row") == [line]
    program = control(page, "program", "textarea").input_value().split("\n")
    at = program.index(line)
    assert lit(page, ".gl-numbers > div") == [str(at + 1)]
    # From the learner's own line: with the mouse, and with the caret.
    area = control(page, "program", "textarea")
    area.scroll_into_view_if_needed()
    box = box_of(area)
    page.mouse.move(box["x"] + 60, box["y"] + 8 + 21 * at + 10)
    assert set(lit(page, ".gl-node")) == {"sqrt_1", "sub", "stop_gradient", "sqrt_2", "add"}
    first = program.index("y = x**2")
    page.mouse.move(box["x"] + 60, box["y"] + 8 + 21 * first + 10)
    assert lit(page, ".gl-node") == ["pow"]
    area.focus()
    page.keyboard.press("Control+Home")
    for _ in range(at):
        page.keyboard.press("ArrowDown")
    assert "stop_gradient" in lit(page, ".gl-node")
