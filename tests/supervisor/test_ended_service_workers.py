"""Service workers end when a page unregisters them, though we are attached; on a real Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.cdp.protocol import Target
from tests.browser.browser_with_dialog_places import Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

WITHIN_S = 20.0

START = """navigator.serviceWorker.register('/work.js', {scope: '/nowhere/'}).then(r => {
    const worker = r.installing ?? r.waiting ?? r.active;
    return worker.state === 'activated' ? 1 : new Promise(done => {
        worker.onstatechange = () => worker.state === 'activated' && done(1);
    });
})"""
UNREGISTER = "navigator.serviceWorker.getRegistration('/nowhere/').then(r => r.unregister())"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


async def started(stage: Stage) -> tuple[str, str]:
    """A frame whose page has started a service worker, and the worker's target."""
    stage.pages.add("/work.js", "self.onfetch = () => 0")
    spot = await stage.spot("top")
    assert await stage.value(spot.frame_id, START) == 1
    target = await stage.sup.wait_for(lambda _: worker(stage), WITHIN_S)
    return spot.frame_id, target


def worker(stage: Stage) -> str | None:
    """The target of the service worker that we have a session on."""
    infos = stage.sup.state.sessions.values()
    return next((i.target_id for i in infos if i.kind == "service_worker"), None)


async def test_an_unregistered_worker_ends(stage: Stage) -> None:
    frame, target = await started(stage)
    assert await stage.value(frame, UNREGISTER) is True
    await stage.sup.wait_for(lambda _: worker(stage) is None or None, WITHIN_S)
    await ended(stage, target)
    await stage.clear()


async def test_a_worker_that_is_used_keeps_our_session(stage: Stage) -> None:
    frame, target = await started(stage)
    assert await stage.value(frame, "fetch('/work.js').then(r => r.status)") == 200
    assert worker(stage) == target
    # One that is left can be closed; while a debugger is attached Chrome keeps it.
    stage.sup.service_workers.detach(target)
    await stage.sup.connection.send(Target.closeTarget(targetId=target))
    await stage.sup.wait_for(lambda _: worker(stage) is None or None, WITHIN_S)
    await ended(stage, target)
    stage.sup.service_workers.detach(target)  # harmless
    await stage.value(frame, UNREGISTER)
    await stage.clear()


async def ended(stage: Stage, target: str) -> None:
    """Wait until Chrome lists a target no more."""
    async with asyncio.timeout(WITHIN_S):
        while target in await targets(stage):
            pass


async def targets(stage: Stage) -> list[str]:
    """Every service worker that runs."""
    told = await stage.sup.connection.send(Target.getTargets(filter=[{}]))
    return [i["targetId"] for i in told["targetInfos"] if i["type"] == "service_worker"]
