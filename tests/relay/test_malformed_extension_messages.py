"""Nonsense from a paired extension: it is dropped, everybody is answered, the line lives."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from pilothouse.cdp import Command, Reply
from pilothouse.errors import CdpError
from tests.relay.fake_extension import FakeExtension, FakeTab
from tests.relay.fake_extension_setup import Stage, open_stage

STRANGE: tuple[Any, ...] = (None, True, -1, 10**30, 1.5, "", "x", "\ud800", [], [1], {}, {"a": {}})

_FRAME = {"id": "F", "loaderId": "L", "url": "http://a.example/", "parentId": ""}
_TARGET = {"targetId": "T-9", "type": "iframe", "title": "", "url": "", "attached": True}
_REQUEST = {"requestId": "r1", "request": {"url": "http://a.example/"}, "networkId": "n1"}
_CONTEXT = {"id": 3, "uniqueId": "u", "origin": "", "name": "", "auxData": {"frameId": "F"}}
_TAB = FakeTab(7).shown()

EVENTS: dict[str, dict[str, Any]] = {
    "Debugger.paused": {"callFrames": [], "reason": "other"},
    "Debugger.scriptParsed": {"scriptId": "1", "url": "x", "executionContextId": 3},
    "DOM.documentUpdated": {},
    "Fetch.authRequired": _REQUEST,
    "Fetch.requestPaused": _REQUEST,
    "Inspector.targetCrashed": {},
    "Inspector.targetReloadedAfterCrash": {},
    "Page.downloadProgress": {"guid": "g", "state": "completed"},
    "Page.downloadWillBegin": {"guid": "g", "url": "x", "suggestedFilename": "f", "frameId": "F"},
    "Page.fileChooserOpened": {"frameId": "F", "backendNodeId": 1, "mode": "selectSingle"},
    "Page.frameNavigated": {"frame": _FRAME},
    "Page.javascriptDialogOpening": {"message": "?", "type": "confirm"},
    "Page.lifecycleEvent": {"frameId": "F", "loaderId": "L", "name": "load"},
    "Page.screencastFrame": {"data": "", "sessionId": 1, "metadata": {}},
    "Page.windowOpen": {"url": "x"},
    "Runtime.bindingCalled": {"name": "b", "payload": "", "executionContextId": 3},
    "Runtime.executionContextCreated": {"context": _CONTEXT},
    "Runtime.executionContextDestroyed": {"executionContextId": 3, "executionContextUniqueId": "u"},
    "Target.attachedToTarget": {
        "sessionId": "S-9",
        "targetInfo": _TARGET,
        "waitingForDebugger": True,
    },
    "Target.detachedFromTarget": {"sessionId": "S-9"},
    "Target.targetInfoChanged": {"targetInfo": _TARGET},
}

NEWS: dict[str, dict[str, Any]] = {
    "pong": {},
    "settingsChanged": {"settings": {"readOnly": False}},
    "tabActivated": {"tabId": 2, "windowId": 1},
    "tabCreated": {"tab": _TAB},
    "tabDetached": {"tabId": 2, "reason": "target_closed"},
    "tabGlimpsed": {"tab": _TAB},
    "tabRemoved": {"tabId": 2},
    "tabReplaced": {"tabId": 2, "newTabId": 3},
    "tabUpdated": {"tabId": 2, "url": "http://b.example/", "title": "b", "targetId": "T2"},
    "unknown": {"a": 1},
    "userAction": {"kind": "pause", "tabId": 2},
}


def mutants(value: Any) -> Iterator[Any]:
    """A value with any one part of it gone or strange."""
    yield from STRANGE
    if isinstance(value, dict):
        for name, inner in value.items():
            yield {key: kept for key, kept in value.items() if key != name}
            yield from ({**value, name: other} for other in mutants(inner))


def _messages() -> Iterator[Any]:
    yield from STRANGE
    for method, params in NEWS.items():
        for mutant in mutants({"method": method, "params": params}):
            # What stops all agents stops the test; what it means is tested elsewhere.
            if method != "tabDetached" or mutant != {"method": method, "params": {"tabId": 1}}:
                yield mutant
    for method, params in EVENTS.items():
        for mutant in mutants(params):
            yield {"method": "cdpEvent", "params": {"tabId": 1, "method": method, "params": mutant}}
        for child in STRANGE:
            told = {"tabId": 1, "method": method, "params": params, "childSessionId": child}
            yield {"method": "cdpEvent", "params": told}
    answers: list[dict[str, Any]] = [{"result": {}}, {"error": {"code": 1, "message": "x"}}]
    for answer in answers:
        yield from mutants({"id": 999_999, **answer})


@pytest.mark.boundary
async def test_no_malformed_message_ends_the_line_or_escapes() -> None:
    escaped: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: escaped.append(told))
    tab = FakeTab(1)
    messages = list(_messages())
    assert len(messages) > 1000
    for start in range(0, len(messages), 50):
        extension = FakeExtension(tab, FakeTab(2), FakeTab(3))
        async with open_stage(extension) as stage:
            session = await stage.attach(tab)
            for domain in ("Page", "Runtime", "Fetch", "Debugger", "DOM"):
                await stage.send(f"{domain}.enable", session)
            auto = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
            await stage.send("Target.setAutoAttach", session, **auto)
            for message in messages[start : start + 50]:
                extension._say(message)
            await _answers(stage)
            assert extension.closed == "", (start, extension.closed)
    assert escaped == []


@pytest.mark.boundary
@pytest.mark.parametrize("wire", ["listTabs", "attachTab", "createTab", "cdpCommand", "window"])
async def test_every_command_is_answered_once_whatever_the_extension_answers(wire: str) -> None:
    escaped: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: escaped.append(told))
    answers = {
        "attachTab": {"targetInfo": {"targetId": "T", "openerId": "O"}},
        "cdpCommand": {"frameTree": {"frame": _FRAME}, "cookies": [{"name": "a"}]},
        "createTab": _TAB,
        "listTabs": {"tabs": [_TAB]},
        "window": {"windowId": 1, "bounds": {"left": 1}},
    }
    bodies = [{"result": r} for r in mutants(answers[wire])]
    bodies += [{"error": e} for e in mutants({"code": 1, "message": "no", "data": "d"})]
    for body in [*bodies, {}]:
        tab = FakeTab(1)
        extension = FakeExtension(tab, FakeTab(2))
        async with open_stage(extension, linger_s=0.0) as stage:
            extension.answers[wire] = body
            asked: list[Reply[Any]] = [
                stage.connection.root.send(Command(method, params), 5.0)
                for method, params in (
                    ("Target.attachToTarget", {"targetId": tab.frame_id, "flatten": True}),
                    ("Target.createTarget", {"url": "about:blank"}),
                    ("Browser.getWindowForTarget", {"targetId": tab.frame_id}),
                    ("Storage.getCookies", {}),
                )
            ]
            found = await asyncio.gather(*asked, return_exceptions=True)
            assert all(not isinstance(f, BaseException) or isinstance(f, CdpError) for f in found)
            assert not any("no answer" in str(f) for f in found), (body, found)
    assert escaped == []


async def test_a_line_that_brings_nothing_but_nonsense_is_closed_with_a_reason() -> None:
    extension = FakeExtension(FakeTab(1))
    async with open_stage(extension) as stage:
        for _ in range(200):
            extension._say({"method": "tabRemoved", "params": {}})
        await extension.until(lambda: extension.closed)
        assert "malformed" in extension.closed
        assert not stage.lent.connected


async def _answers(stage: Stage) -> None:
    """The extension is asked, and heard."""
    await stage.send("Target.createTarget", url="about:blank")
    json.dumps(await stage.send("Target.getTargets"))
