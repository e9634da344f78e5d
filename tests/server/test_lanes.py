"""Lanes of worker processes: what they run, and what happens when a worker dies or hangs."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from pages.server import lanes
from pages.server.lanes import Lane, LostError
from tests.server.asgi import run
from tests.server.jobs import (
    begin_where_niceness_is_refused,
    die,
    die_once,
    frozen_and_loaded_later,
    loaded_by,
    niceness,
    pid_after,
    pid_of_the_second_try,
    pid_when,
)
from tests.support.present import present
from tests.support.server import ROOT, START_SECONDS, until
from tests.support.usage import children

pytestmark = pytest.mark.slow
PROC = Path("/proc/self/stat").exists()
JOB_BYTES = 10 << 20
"""Bytes of a job: more than the system takes before somebody reads them."""


T = TypeVar("T")


def with_lane(story: Callable[[Lane], Awaitable[T]], count: int = 1, **more: Any) -> T:
    """Run a story with a lane, and end its workers."""

    async def told() -> T:
        lane = Lane("test", count, **more)
        try:
            return await story(lane)
        finally:
            lane.end()

    return run(told())


def workers() -> set[int]:
    """The workers of this process."""
    forks = children(os.getpid(), "multiprocessing.forkserver")
    return {worker for one in forks for worker in children(one)}


def test_a_job_runs_in_another_process_and_returns_what_its_function_returns() -> None:
    assert with_lane(lambda lane: lane.run(pid_after, 0.0)) != os.getpid()


@pytest.mark.skipif(os.name == "nt", reason="Windows forks nothing")
def test_a_forked_workers_objects_are_frozen_and_it_loads_no_lesson_later() -> None:
    frozen, later = with_lane(lambda lane: lane.run(frozen_and_loaded_later))
    assert frozen > 100_000
    assert not later


@pytest.mark.skipif(os.name == "nt", reason="Windows forks nothing")
def test_a_worker_is_forked_with_the_compiler_that_an_optimizer_of_torch_loads() -> None:
    lesson_that_steps = '{"lab": "two_passes"}'
    later = with_lane(lambda lane: lane.run(loaded_by, lesson_that_steps))
    assert "sympy" not in later, "it is a part of the compiler, which takes two seconds to load"


@pytest.mark.skipif(not PROC, reason="looks processes up in /proc")
def test_a_second_worker_starts_when_the_first_is_busy(tmp_path: Path) -> None:
    async def story(lane: Lane) -> None:
        before = workers()  # those of other lanes may still be ending
        first = await lane.run(pid_after, 0.0)
        assert workers() - before == {first}
        places = [tmp_path / "first", tmp_path / "second"]
        jobs = (
            lane.run(pid_when, mine, other.exists)
            for mine, other in zip(places, places[::-1], strict=True)
        )
        at_once = await asyncio.gather(*jobs)
        assert first in at_once
        assert len({*at_once}) == 2

    with_lane(story, 2)


def test_jobs_run_in_the_order_of_asking() -> None:
    async def story(lane: Lane) -> list[int]:
        done: list[int] = []

        async def job(number: int) -> None:
            await lane.run(pid_after, 0.01)
            done.append(number)

        await asyncio.gather(*(job(number) for number in range(8)))
        return done

    assert with_lane(story) == list(range(8))


def test_a_worker_that_is_killed_is_replaced_and_its_job_tried_again(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    async def story(lane: Lane) -> tuple[int, int]:
        first = await lane.run(pid_after, 0.0)
        tries = tmp_path / "tries"
        job = asyncio.create_task(lane.run(pid_of_the_second_try, tries))
        await asyncio.to_thread(until, tries.exists)
        os.kill(first, signal.SIGKILL)
        return first, await job

    first, second = with_lane(story)
    assert first != second
    assert [one.levelno for one in caplog.records] == [logging.WARNING]


def test_a_job_that_ends_its_worker_is_tried_once_more_and_no_third_time(tmp_path: Path) -> None:
    async def story(lane: Lane) -> None:
        with pytest.raises(LostError):
            await lane.run(die, tmp_path / "tries")
        assert await lane.run(die_once, tmp_path / "once") == "done"

    with_lane(story)
    assert (tmp_path / "tries").read_text() == "xx"


def test_a_job_that_hangs_is_ended_and_tried_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(lane: Lane) -> float:
        await lane.run(pid_after, 0.0)
        start = time.monotonic()
        with monkeypatch.context() as context:
            context.setattr(lanes, "JOB_TIMEOUT", 0.5)
            with pytest.raises(LostError):
                await lane.run(pid_after, START_SECONDS)
        took = time.monotonic() - start
        await lane.run(pid_after, 0.0)
        return took

    assert with_lane(story) >= 1.0, "two tries"


@pytest.mark.skipif(os.name == "nt", reason="Windows stops no process")
def test_a_worker_that_was_stopped_before_it_read_a_long_job_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kill = lanes.Worker.kill

    def kill_and_give_time(worker: lanes.Worker) -> None:
        monkeypatch.setattr(lanes, "JOB_TIMEOUT", START_SECONDS)  # for the second try
        kill(worker)

    async def story(lane: Lane) -> int:
        os.kill(await lane.run(pid_after, 0.0), signal.SIGSTOP)
        monkeypatch.setattr(lanes, "JOB_TIMEOUT", 0.5)
        monkeypatch.setattr(lanes.Worker, "kill", kill_and_give_time)
        return await lane.run(len, bytes(JOB_BYTES))

    assert with_lane(story) == JOB_BYTES


def test_a_lane_ends_without_waiting_for_a_job(tmp_path: Path) -> None:
    begun, never = tmp_path / "begun", tmp_path / "never"

    async def story(lane: Lane) -> float:
        running = asyncio.create_task(lane.run(pid_when, begun, never.exists))
        await asyncio.to_thread(until, begun.exists)
        start = time.monotonic()
        lane.end()
        running.cancel()
        return time.monotonic() - start

    assert with_lane(story) < START_SECONDS, "the job waits so long"


def test_a_job_that_is_cancelled_leaves_the_queue_and_a_running_one_keeps_its_worker_busy(
    tmp_path: Path,
) -> None:
    async def story(lane: Lane) -> set[asyncio.Task[int]]:
        begun, may_end = tmp_path / "begun", tmp_path / "may_end"
        running = asyncio.create_task(lane.run(pid_when, begun, may_end.exists))
        waiting = asyncio.create_task(lane.run(die, tmp_path / "never"))
        await asyncio.to_thread(until, begun.exists)
        running.cancel()
        waiting.cancel()
        next_ = asyncio.create_task(lane.run(pid_after, 0.0))
        done, _ = await asyncio.wait([next_], timeout=0.2)
        may_end.touch()
        await next_
        return done

    assert not with_lane(story)
    assert not (tmp_path / "never").exists()


def test_a_visitor_who_leaves_holds_the_place_until_the_job_has_ended(tmp_path: Path) -> None:
    async def story(lane: Lane) -> bool:
        begun, may_end = tmp_path / "begun", tmp_path / "may_end"
        left = asyncio.create_task(lane.run(pid_when, begun, may_end.exists, who="a"))
        await asyncio.to_thread(until, begun.exists)
        left.cancel()
        next_ = asyncio.create_task(lane.run(pid_after, 0.0, who="a"))
        await lane.run(pid_after, 0.2, who="b")  # a worker is free
        early = next_.done()
        may_end.touch()
        await next_
        return early

    assert not with_lane(story, 2, of_one=1)


def test_a_worker_that_cannot_start_costs_its_job_a_try_and_the_next_job_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_memory(**_: object) -> None:
        raise OSError

    async def story(lane: Lane) -> int:
        with monkeypatch.context() as context:
            context.setattr(lanes, "CONTEXT", SimpleNamespace(Pipe=Pipe, Process=no_memory))
            with pytest.raises(LostError):
                await lane.run(pid_after, 0.0)
        return await lane.run(pid_after, 0.0)

    assert with_lane(story)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no niceness")
def test_a_slow_lane_stands_back() -> None:
    async def story(lane: Lane) -> int:
        return await lane.run(niceness)

    assert with_lane(story, niceness=7) == min(19, os.nice(0) + 7)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no niceness")
def test_a_worker_starts_where_it_may_not_lower_its_priority() -> None:
    async def story(lane: Lane) -> int:
        return await lane.run(begin_where_niceness_is_refused)

    assert with_lane(story) == 1, "it was refused once"


@pytest.mark.long  # a server of its own, which loads torch twice
@pytest.mark.skipif(not PROC, reason="looks processes up in /proc")
def test_workers_end_with_their_server_even_if_it_is_killed() -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.server.jobs"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    workers = [int(one) for one in present(server.stdout).readline().split()]
    server.kill()
    server.communicate(timeout=START_SECONDS)
    until(lambda: not any(Path(f"/proc/{one}").exists() for one in workers))


@pytest.mark.parametrize(("idle", "stays"), [(60.0, True), (0.05, False)])
def test_a_lane_replaces_its_workers_only_after_it_was_idle(idle: float, stays: bool) -> None:
    async def story(lane: Lane) -> tuple[int, int]:
        first = await lane.run(pid_after, 0.1)
        await asyncio.sleep(0.5)
        return first, await lane.run(pid_after, 0.0)

    first, second = with_lane(story, idle=idle)
    assert (first == second) == stays
