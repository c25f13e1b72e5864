"""What a call is doing reaches whoever listens to that call, and nobody else."""

from __future__ import annotations

import asyncio

from pilothouse.asyncio_tasks import Tasks
from pilothouse.tabs.progress import report_progress, report_progress_to


def test_without_a_listener_nothing_is_said() -> None:
    report_progress("nobody hears this")


async def test_listeners_hear_their_own_calls_and_the_tasks_of_those() -> None:
    tasks = Tasks()

    async def call(name: str) -> list[str]:
        heard: list[str] = []
        with report_progress_to(heard.append):
            await asyncio.sleep(0)
            report_progress(f"{name} begins")
            await tasks.start(_within(name), "within")
        report_progress("after it")
        return heard

    async with asyncio.timeout(5):
        heard = await asyncio.gather(call("a"), call("b"))
    assert list(heard) == [["a begins", "a within"], ["b begins", "b within"]]


async def _within(name: str) -> None:
    report_progress(f"{name} within")
