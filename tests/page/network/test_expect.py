"""Waiting for a request."""

from __future__ import annotations

import asyncio

import pytest

from pilothouse.errors import CdpError, CommandTimeout
from pilothouse.page.network.entries import Entry
from pilothouse.page.network.expect import NetworkExpectation

ENTRY = Entry("r1", "GET", "http://a/", "Fetch", "pending")


async def test_first_that_fits_is_delivered_and_the_wait_leaves() -> None:
    among: list[NetworkExpectation] = []
    wait = NetworkExpectation(among, lambda e: e.url.endswith("/"), "response", 5)
    wait.hear("request", ENTRY)
    assert not wait.done()
    wait.hear("response", ENTRY)
    wait.hear("response", ENTRY)
    async with asyncio.timeout(5):
        assert await wait == ENTRY
    assert among == []


async def test_deadline_ends_the_wait() -> None:
    among: list[NetworkExpectation] = []
    with pytest.raises(CommandTimeout, match="no such request"):
        await NetworkExpectation(among, lambda e: True, "request", 0.01)
    assert among == []


async def test_predicate_that_raises_is_heard_by_who_waits() -> None:
    among: list[NetworkExpectation] = []
    wait = NetworkExpectation(among, lambda e: 1 / 0 > 1, "request", 5)
    wait.hear("request", ENTRY)
    with pytest.raises(ZeroDivisionError):
        await wait


async def test_cancelled_or_failed_wait_leaves() -> None:
    among: list[NetworkExpectation] = []
    wait = NetworkExpectation(among, lambda e: True, "request", 5)
    wait.cancel()
    wait.hear("request", ENTRY)
    assert (wait.done(), among) == (True, [])
    other = NetworkExpectation(among, lambda e: True, "request", 5)
    other.fail(CdpError("gone"))
    with pytest.raises(CdpError, match="gone"):
        await other
