"""Notices reach the call that they are about, once, and no other."""

from __future__ import annotations

import asyncio

from pilothouse.tabs.notices import add_notice, collect_notices


def test_same_notice_is_collected_once() -> None:
    with collect_notices() as notices:
        add_notice("full")
        add_notice("full")
        add_notice("slow")
    assert notices == ["full", "slow"]


def test_inner_call_keeps_its_own_notices() -> None:
    with collect_notices() as outer:
        with collect_notices() as inner:
            add_notice("full")
        assert inner == ["full"]
    assert outer == []


def test_notice_outside_of_a_call_goes_nowhere() -> None:
    add_notice("full")
    with collect_notices() as notices:
        pass
    assert notices == []


async def test_calls_side_by_side_collect_their_own() -> None:
    async def call(name: str) -> list[str]:
        with collect_notices() as notices:
            await asyncio.sleep(0)
            add_notice(name)
            await asyncio.sleep(0)
            return notices

    assert list(await asyncio.gather(call("a"), call("b"))) == [["a"], ["b"]]
