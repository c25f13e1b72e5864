"""Waiting for a request."""

from __future__ import annotations

import asyncio

import pytest

from pilothouse.errors import CdpError, CommandTimeout
from pilothouse.page.network.log_entries import NetworkEntry
from pilothouse.page.network.request_log import NetworkExpectation

ENTRY = NetworkEntry("r1", "GET", "http://a/", "Fetch", "pending")


async def test_first_that_fits_is_delivered_and_the_wait_leaves() -> None:
    siblings: list[NetworkExpectation] = []
    wait = NetworkExpectation(siblings, lambda e: e.url.endswith("/"), "response", 5)
    wait.handle("request", ENTRY)
    assert not wait.done()
    wait.handle("response", ENTRY)
    wait.handle("response", ENTRY)
    async with asyncio.timeout(5):
        assert await wait == ENTRY
    assert siblings == []


async def test_deadline_ends_the_wait() -> None:
    siblings: list[NetworkExpectation] = []
    with pytest.raises(CommandTimeout, match="no such request"):
        await NetworkExpectation(siblings, lambda e: True, "request", 0.01)
    assert siblings == []


async def test_predicate_that_raises_is_heard_by_who_waits() -> None:
    siblings: list[NetworkExpectation] = []
    wait = NetworkExpectation(siblings, lambda e: 1 / 0 > 1, "request", 5)
    wait.handle("request", ENTRY)
    with pytest.raises(ZeroDivisionError):
        await wait


async def test_cancelled_or_failed_wait_leaves() -> None:
    siblings: list[NetworkExpectation] = []
    wait = NetworkExpectation(siblings, lambda e: True, "request", 5)
    wait.cancel()
    wait.handle("request", ENTRY)
    assert (wait.done(), siblings) == (True, [])
    other = NetworkExpectation(siblings, lambda e: True, "request", 5)
    other.fail(CdpError("gone"))
    with pytest.raises(CdpError, match="gone"):
        await other
