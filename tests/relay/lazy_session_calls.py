"""How tests talk to a lazy session: as a client before it attaches, as a browser while it does.

Knows: the session's calls and Chrome's shapes. Must not know: what any test is about.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pilothouse.relay.lazy.session import LazySession, ReplayCommand

__all__ = [
    "ADD_SCRIPT",
    "AUTO",
    "CLEARED",
    "CREATED",
    "ID",
    "REMOVE_SCRIPT",
    "TARGET",
    "URL",
    "ask",
    "attach",
    "created",
    "frame",
    "lazy",
    "names",
    "playwright_like",
    "read",
]

ID = "L" + "0" * 31
TARGET = "AB" * 16
URL = "http://example.org/a"
ADD_SCRIPT = "Page.addScriptToEvaluateOnNewDocument"
REMOVE_SCRIPT = "Page.removeScriptToEvaluateOnNewDocument"
CREATED = "Runtime.executionContextCreated"
CLEARED = "Runtime.executionContextsCleared"
AUTO = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}


def lazy(url: str = URL) -> LazySession:
    return LazySession(ID, {"targetId": TARGET, "type": "page", "title": "A", "url": url})


def read(frames: Iterable[bytes]) -> list[dict[str, Any]]:
    messages = [json.loads(frame) for frame in frames]
    assert {m.pop("sessionId") for m in messages} <= {ID}
    return messages


def ask(session: LazySession, method: str, params: dict[str, Any] | None = None) -> Any:
    """The result or error of a command, and the events that came before it."""
    answer = session.answer(7, method, params or {})
    assert answer is not None, f"{method} would attach the debugger"
    *events, reply = read(answer.messages)
    assert reply.pop("id") == 7
    assert all("id" not in event for event in events)
    return reply.get("result", reply.get("error")), [(e["method"], e["params"]) for e in events]


def playwright_like(session: LazySession) -> None:
    ask(session, "Page.enable")
    ask(session, "Page.getFrameTree")
    ask(session, "Log.enable")
    ask(session, "Page.setLifecycleEventsEnabled", {"enabled": True})
    ask(session, "Runtime.enable")
    ask(session, ADD_SCRIPT, {"source": "", "worldName": "utility"})
    ask(session, "Network.enable")
    ask(session, "Target.setAutoAttach", AUTO)
    ask(session, "Emulation.setFocusEmulationEnabled", {"enabled": True})
    ask(session, "Runtime.runIfWaitingForDebugger")
    world = {"frameId": TARGET, "grantUniveralAccess": True, "worldName": "utility"}
    ask(session, "Page.createIsolatedWorld", world)


def frame(name: str = TARGET, url: str = URL, **more: Any) -> dict[str, Any]:
    return {"id": name, "loaderId": f"LOADER-{name}", "url": url, **more}


def attach(
    session: LazySession, tree: dict[str, Any] | None = None, fails: str = ""
) -> tuple[list[ReplayCommand], list[tuple[str, Any]]]:
    """Replay everything to a browser that shows `tree`; what went out and what was told."""
    sent = session.replay()
    told: list[bytes] = []
    scripts = 0
    for one in sent:
        assert not session.is_attached
        result: dict[str, Any] | None = {}
        if one.method == "Page.getFrameTree":
            result = {"frameTree": tree or {"frame": frame()}}
        elif one.method == ADD_SCRIPT:
            scripts += 1
            result = {"identifier": str(scripts)}
        elif one.method == "Page.createIsolatedWorld":
            result = {"executionContextId": 50}
        if one.method == fails:
            result = None
        told += session.finish_replay(one.token, result)
    assert session.is_attached
    return sent, [(m["method"], m["params"]) for m in read(told)]


def created(real: int, name: str = "") -> dict[str, Any]:
    about = {"isDefault": not name, "type": "", "frameId": TARGET}
    return {"context": {"id": real, "name": name, "uniqueId": f"{real}.1", "auxData": about}}


def names(events: list[tuple[str, Any]]) -> list[str]:
    return [method for method, _ in events]
