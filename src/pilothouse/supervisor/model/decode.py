"""Turns Chrome's events into ours; the only place that reads their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model.dialog_policy_and_permissions import PERMISSIONS
from pilothouse.supervisor.model.events import (
    ContextCreated,
    ContextDestroyed,
    ContextsCleared,
    DialogClosed,
    DialogOpened,
    DownloadProgressed,
    DownloadStarted,
    Event,
    FrameAttached,
    FrameDetached,
    FrameNavigated,
    FrameNavigatedWithinDocument,
    FrameStartedNavigating,
    FrameTreeLoaded,
    InterruptClosed,
    InterruptOpened,
    ReloadedAfterCrash,
    RendererCrashed,
    SessionAttached,
    SessionDetached,
    TargetDestroyed,
    TargetInfoChanged,
)

__all__ = [
    "DECODED_METHODS",
    "PermissionRequest",
    "decode",
    "decode_frame_tree",
    "decode_page_prompt",
    "origin_of",
    "parse_permission_request",
]

Params = Mapping[str, Any]

# The methods that `decode` handles; other events are not even parsed.
DECODED_METHODS = frozenset(
    {
        "Browser.downloadProgress",
        "Browser.downloadWillBegin",
        "FedCm.dialogClosed",
        "FedCm.dialogShown",
        "Fetch.authRequired",
        "Inspector.targetCrashed",
        "Inspector.targetReloadedAfterCrash",
        "Page.fileChooserOpened",
        "Page.frameAttached",
        "Page.frameDetached",
        "Page.frameNavigated",
        "Page.frameStartedNavigating",
        "Page.javascriptDialogClosed",
        "Page.javascriptDialogOpening",
        "Page.navigatedWithinDocument",
        "Runtime.executionContextCreated",
        "Runtime.executionContextDestroyed",
        "Runtime.executionContextsCleared",
        "Target.attachedToTarget",
        "Target.detachedFromTarget",
        "Target.targetDestroyed",
        "Target.targetInfoChanged",
    }
)


def decode(method: str, params: Params, session: SessionId, at: float) -> Event | None:
    """Return our event for one of Chrome's; None for those we do not need."""
    domain = method.partition(".")[0]
    match domain:
        case "Target":
            return _target(method, params, session, at)
        case "Page":
            return _page(method, params, session, at)
        case "Runtime":
            return _runtime(method, params, session, at)
        case "Inspector":
            if method == "Inspector.targetCrashed":
                return RendererCrashed(at, session)
            if method == "Inspector.targetReloadedAfterCrash":
                return ReloadedAfterCrash(at, session)
    return _browser(method, params, session, at)


def _target(method: str, params: Params, session: SessionId, at: float) -> Event | None:
    match method:
        case "Target.attachedToTarget":
            info = params["targetInfo"]
            return SessionAttached(
                at,
                SessionId(params["sessionId"]),
                info["targetId"],
                info["type"],
                info.get("url", ""),
                info.get("title", ""),
                info.get("openerId") or info.get("openedBy", ""),
                info.get("browserContextId", ""),
                session,
                info.get("parentFrameId", ""),
                params.get("waitingForDebugger", False),
            )
        case "Target.detachedFromTarget":
            return SessionDetached(at, SessionId(params["sessionId"]))
        case "Target.targetInfoChanged" if params["targetInfo"]["type"] == "page":
            info = params["targetInfo"]
            return TargetInfoChanged(
                at, info["targetId"], info.get("url", ""), info.get("title", "")
            )
        case "Target.targetDestroyed":
            return TargetDestroyed(at, params["targetId"])
    return None


def _page(method: str, params: Params, session: SessionId, at: float) -> Event | None:
    match method:
        case "Page.javascriptDialogOpening":
            return DialogOpened(
                at,
                session,
                params.get("frameId", ""),
                params.get("type", "alert"),
                params.get("message", ""),
                params.get("defaultPrompt") or "",
                params.get("url", ""),
            )
        case "Page.javascriptDialogClosed":
            return DialogClosed(
                at,
                session,
                params.get("frameId", ""),
                params.get("result", False),
                params.get("userInput", ""),
            )
        case "Page.frameAttached":
            return FrameAttached(at, session, params["frameId"], params["parentFrameId"])
        case "Page.frameNavigated":
            return _navigated(params["frame"], session, at)
        case "Page.frameStartedNavigating":
            if "ameDocument" not in params.get("navigationType", ""):
                return FrameStartedNavigating(at, session, params["frameId"])
        case "Page.navigatedWithinDocument":
            return FrameNavigatedWithinDocument(at, session, params["frameId"], params["url"])
        case "Page.frameDetached":
            return FrameDetached(at, session, params["frameId"], params.get("reason") == "swap")
        case "Page.fileChooserOpened":
            detail = {"mode": params.get("mode", ""), "node": params.get("backendNodeId", 0)}
            handle = f"{session}:{params.get('backendNodeId', at)}"
            frame = params.get("frameId", "")
            return InterruptOpened(at, "file_chooser", session, frame, handle, detail)
    return None


def _runtime(method: str, params: Params, session: SessionId, at: float) -> Event | None:
    match method:
        case "Runtime.executionContextCreated":
            context = params["context"]
            aux = context.get("auxData") or {}
            if aux.get("isDefault") and aux.get("frameId"):
                return ContextCreated(at, session, aux["frameId"], context["uniqueId"])
        case "Runtime.executionContextDestroyed":
            return ContextDestroyed(at, session, params.get("executionContextUniqueId", ""))
        case "Runtime.executionContextsCleared":
            return ContextsCleared(at, session)
    return None


def _browser(method: str, params: Params, session: SessionId, at: float) -> Event | None:
    match method:
        case "Fetch.authRequired":
            challenge = params.get("authChallenge") or {}
            detail = {
                "origin": challenge.get("origin", ""),
                "realm": challenge.get("realm", ""),
                "scheme": challenge.get("scheme", ""),
                "proxy": challenge.get("source") == "Proxy",
                "url": (params.get("request") or {}).get("url", ""),
            }
            frame = params.get("frameId", "")
            return InterruptOpened(at, "auth", session, frame, params["requestId"], detail)
        case "FedCm.dialogShown":
            detail = {
                "type": params.get("dialogType", ""),
                "title": params.get("title", ""),
                "accounts": [
                    {
                        "id": a.get("accountId", ""),
                        "name": a.get("name", ""),
                        "email": a.get("email", ""),
                    }
                    for a in params.get("accounts", ())
                ],
            }
            return InterruptOpened(at, "fedcm", session, "", params["dialogId"], detail)
        case "FedCm.dialogClosed":
            return InterruptClosed(at, "fedcm", params["dialogId"], "closed")
        case "Browser.downloadWillBegin":
            name = params.get("suggestedFilename", "")
            return DownloadStarted(
                at, params["guid"], params.get("frameId", ""), params["url"], name
            )
        case "Browser.downloadProgress":
            return DownloadProgressed(
                at,
                params["guid"],
                params.get("state", ""),
                int(params.get("receivedBytes", 0)),
                int(params.get("totalBytes", 0)),
                params.get("filePath", ""),
            )
    return None


def decode_page_prompt(
    said: str, session: SessionId, frame: str, at: float
) -> InterruptOpened | None:
    """Decode a report of print_and_permission_requests.js: the page asks the user for something.
    None if it is invalid. A page that asks repeatedly gets the same handle, so one decision answers
    all."""
    if said == "print":
        return InterruptOpened(at, "print", session, frame, f"{session}:print")
    asked = parse_permission_request(said)
    if asked is None or asked.state in ("asked", "granted", "unknown"):
        return None
    detail = {"permission": asked.permission, "origin": asked.origin}
    handle = f"{session}:{asked.permission}:{asked.origin}"
    return InterruptOpened(at, "permission", session, frame, handle, detail)


def parse_permission_request(said: str) -> PermissionRequest | None:
    """Decode a permission request reported by print_and_permission_requests.js; None for any other
    report."""
    try:
        asked = msgspec.json.decode(said, type=PermissionRequest)
    except msgspec.DecodeError:
        return None
    return asked if asked.permission in PERMISSIONS else None


class PermissionRequest(msgspec.Struct):
    """A permission, the origin that asks, and Chrome's decision; `asked` until it is known."""

    permission: str
    origin: str = ""
    state: str = "denied"


def decode_frame_tree(tree: Params, session: SessionId, at: float) -> FrameTreeLoaded:
    """Decode the result of `Page.getFrameTree`, parents first."""
    frames: list[FrameNavigated] = []
    nodes = [tree]
    for node in nodes:
        frames.append(_navigated(node["frame"], session, at))
        nodes += node.get("childFrames", ())
    return FrameTreeLoaded(at, session, tuple(frames))


def _navigated(frame: Params, session: SessionId, at: float) -> FrameNavigated:
    url = frame.get("url", "") + frame.get("urlFragment", "")
    return FrameNavigated(
        at,
        session,
        frame["id"],
        frame.get("parentId", ""),
        url,
        origin_of(frame.get("securityOrigin", ""), url),
        frame.get("loaderId", ""),
        frame.get("name", ""),
        frame.get("unreachableUrl", ""),
    )


def origin_of(security_origin: str, url: str) -> str:
    """Return an origin as `https://host`; "null" for opaque origins."""
    if security_origin and security_origin != "://":
        return security_origin
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else "null"
