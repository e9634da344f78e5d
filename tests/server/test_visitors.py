"""Visitors: what they are called, and whose turn it is."""

import asyncio

import pytest

from pages.server.visitors import Turns, visitor
from tests.server.asgi import run


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("a name that a proxy made up", "a name that a proxy made up"),
    ],
)
def test_a_visitor_is_an_address_or_a_network(host: str, name: str) -> None:
    assert visitor((host, 80)) == name
    assert visitor(None) == ""


def test_visitors_take_turns_however_much_each_of_them_asks() -> None:
    async def story() -> list[str]:
        turns = Turns(1, 1)
        done: list[str] = []

        async def job(who: str) -> None:
            async with turns.of(who[0]):
                done.append(who)
                await asyncio.sleep(0)

        asked = ["a0", "a1", "a2", "a3", "a4", "b0", "c0", "b1"]
        jobs = {who: asyncio.create_task(job(who)) for who in asked}
        await asyncio.sleep(0)
        jobs["a2"].cancel()  # while it waits
        await asyncio.gather(*jobs.values(), return_exceptions=True)
        async with asyncio.timeout(60), turns.of("d"):
            return done

    assert run(story()) == ["a0", "a1", "b0", "c0", "a3", "b1", "a4"]


def test_a_visitor_who_leaves_passes_the_turn_on() -> None:
    async def story() -> None:
        turns = Turns(1, 1)
        async with turns.of("a"):
            leaving, waiting = (asyncio.create_task(turns.of(who).__aenter__()) for who in "bc")
            await asyncio.sleep(0)
        leaving.cancel()  # it has been called, and does not know it yet
        async with asyncio.timeout(60):
            await waiting

    run(story())


def test_a_place_is_left_for_another_visitor() -> None:
    async def story() -> list[bool]:
        turns = Turns(3, 2)
        waiting = [asyncio.create_task(turns.of("a").__aenter__()) for _ in range(3)]
        async with asyncio.timeout(60), turns.of("b"):
            await asyncio.sleep(0)
            return [one.done() for one in waiting]

    assert run(story()) == [True, True, False]
