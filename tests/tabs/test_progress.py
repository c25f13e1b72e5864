"""What a call is doing reaches whoever listens to that call, and nobody else."""

from __future__ import annotations

import asyncio

from pilothouse.tabs.progress import heard_by, tell
from pilothouse.tasks import Tasks


def test_without_a_listener_nothing_is_said() -> None:
    tell("nobody hears this")


async def test_listeners_hear_their_own_calls_and_the_tasks_of_those() -> None:
    tasks = Tasks()

    async def call(name: str) -> list[str]:
        heard: list[str] = []
        with heard_by(heard.append):
            await asyncio.sleep(0)
            tell(f"{name} begins")
            await tasks.start(_within(name), "within")
        tell("after it")
        return heard

    async with asyncio.timeout(5):
        heard = await asyncio.gather(call("a"), call("b"))
    assert list(heard) == [["a begins", "a within"], ["b begins", "b within"]]


async def _within(name: str) -> None:
    tell(f"{name} within")
