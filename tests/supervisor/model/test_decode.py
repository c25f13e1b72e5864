"""Chrome's words become ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.model.decode import (
    DECODED_METHODS,
    decode,
    decode_frame_tree,
    decode_page_prompt,
    origin_of,
)

S = SessionId("s")
PAGE_INFO = {"targetId": "T", "type": "page", "url": "u", "title": "t", "openerId": "O"}
FRAME = {"id": "F", "parentId": "T", "url": "https://f/", "loaderId": "l", "name": "n"}


def said(method: str, params: Mapping[str, Any]) -> ev.Event | None:
    """What an event of Chrome's means."""
    return decode(method, params, S, 1.0)


@pytest.mark.parametrize(
    ("method", "params", "event"),
    [
        (
            "Target.attachedToTarget",
            {"sessionId": "n", "targetInfo": PAGE_INFO, "waitingForDebugger": True},
            ev.SessionAttached(
                1, SessionId("n"), "T", "page", "u", "t", "O", parent=S, waiting=True
            ),
        ),
        ("Target.detachedFromTarget", {"sessionId": "n"}, ev.SessionDetached(1, SessionId("n"))),
        (
            "Target.targetInfoChanged",
            {"targetInfo": PAGE_INFO},
            ev.TargetInfoChanged(1, "T", "u", "t"),
        ),
        ("Target.targetInfoChanged", {"targetInfo": {**PAGE_INFO, "type": "iframe"}}, None),
        ("Target.targetDestroyed", {"targetId": "T"}, ev.TargetDestroyed(1, "T")),
        ("Target.targetCreated", {"targetInfo": PAGE_INFO}, None),
        (
            "Page.javascriptDialogOpening",
            {"frameId": "F", "type": "prompt", "message": "m", "defaultPrompt": "d", "url": "u"},
            ev.DialogOpened(1, S, "F", "prompt", "m", "d", "u"),
        ),
        ("Page.javascriptDialogOpening", {}, ev.DialogOpened(1, S, "", "alert", "")),
        (
            "Page.javascriptDialogClosed",
            {"frameId": "F", "result": True, "userInput": "x"},
            ev.DialogClosed(1, S, "F", True, "x"),
        ),
        ("Page.javascriptDialogClosed", {}, ev.DialogClosed(1, S, "", False)),
        (
            "Page.frameAttached",
            {"frameId": "F", "parentFrameId": "T"},
            ev.FrameAttached(1, S, "F", "T"),
        ),
        (
            "Page.frameNavigated",
            {"frame": {**FRAME, "urlFragment": "#x", "securityOrigin": "https://f"}},
            ev.FrameNavigated(1, S, "F", "T", "https://f/#x", "https://f", "l", "n"),
        ),
        (
            "Page.navigatedWithinDocument",
            {"frameId": "F", "url": "u"},
            ev.FrameNavigatedWithinDocument(1, S, "F", "u"),
        ),
        (
            "Page.frameDetached",
            {"frameId": "F", "reason": "swap"},
            ev.FrameDetached(1, S, "F", True),
        ),
        ("Page.frameDetached", {"frameId": "F"}, ev.FrameDetached(1, S, "F", False)),
        (
            "Page.fileChooserOpened",
            {"frameId": "F", "mode": "selectSingle", "backendNodeId": 7},
            ev.InterruptOpened(
                1, "file_chooser", S, "F", "s:7", {"mode": "selectSingle", "node": 7}
            ),
        ),
        ("Page.loadEventFired", {}, None),
        (
            "Page.frameStartedNavigating",
            {"frameId": "F", "navigationType": "differentDocument"},
            ev.FrameStartedNavigating(1, S, "F"),
        ),
        (
            "Page.frameStartedNavigating",
            {"frameId": "F", "navigationType": "sameDocument"},
            None,
        ),
        (
            "Runtime.executionContextCreated",
            {"context": {"uniqueId": "c", "auxData": {"isDefault": True, "frameId": "F"}}},
            ev.ContextCreated(1, S, "F", "c"),
        ),
        (
            "Runtime.executionContextCreated",
            {"context": {"uniqueId": "c", "auxData": {"isDefault": False, "frameId": "F"}}},
            None,
        ),
        ("Runtime.executionContextCreated", {"context": {"uniqueId": "c"}}, None),
        (
            "Runtime.executionContextDestroyed",
            {"executionContextUniqueId": "c"},
            ev.ContextDestroyed(1, S, "c"),
        ),
        ("Runtime.executionContextsCleared", {}, ev.ContextsCleared(1, S)),
        ("Inspector.targetCrashed", {}, ev.RendererCrashed(1, S)),
        ("Inspector.targetReloadedAfterCrash", {}, ev.ReloadedAfterCrash(1, S)),
        ("Inspector.detached", {}, None),
        ("FedCm.dialogClosed", {"dialogId": "d"}, ev.InterruptClosed(1, "fedcm", "d", "closed")),
        (
            "Browser.downloadWillBegin",
            {"guid": "g", "frameId": "F", "url": "u", "suggestedFilename": "f"},
            ev.DownloadStarted(1, "g", "F", "u", "f"),
        ),
        (
            "Browser.downloadProgress",
            {"guid": "g", "state": "completed", "receivedBytes": 3.0, "totalBytes": 4.0},
            ev.DownloadProgressed(1, "g", "completed", 3, 4),
        ),
        ("Network.requestWillBeSent", {}, None),
    ],
)
def test_word_for_word(method: str, params: Mapping[str, Any], event: ev.Event | None) -> None:
    assert said(method, params) == event
    assert event is None or method in DECODED_METHODS


def test_password_box_says_who_asks() -> None:
    challenge = {"source": "Proxy", "origin": "https://p", "scheme": "basic", "realm": "r"}
    asked = {"requestId": "r1", "frameId": "F", "authChallenge": challenge, "request": {"url": "u"}}
    event = said("Fetch.authRequired", asked)
    assert isinstance(event, ev.InterruptOpened)
    assert (event.kind, event.handle, event.frame) == ("auth", "r1", "F")
    assert event.detail == {
        "origin": "https://p",
        "realm": "r",
        "scheme": "basic",
        "proxy": True,
        "url": "u",
    }


def test_account_chooser_lists_its_accounts() -> None:
    shown = {"dialogId": "d", "dialogType": "AccountChooser", "title": "t", "accounts": [{}]}
    event = said("FedCm.dialogShown", shown)
    assert isinstance(event, ev.InterruptOpened)
    assert event.detail["accounts"] == [{"id": "", "name": "", "email": ""}]


def test_frame_tree_comes_parents_first() -> None:
    leaf = {"frame": {"id": "G", "parentId": "F", "url": "about:blank"}}
    tree = {
        "frame": {"id": "T", "url": "https://t/"},
        "childFrames": [{"frame": FRAME, "childFrames": [leaf]}, {"frame": {**FRAME, "id": "H"}}],
    }
    seeded = decode_frame_tree(tree, S, 1.0)
    assert [(f.frame, f.parent) for f in seeded.frames] == [
        ("T", ""),
        ("F", "T"),
        ("H", "T"),
        ("G", "F"),
    ]


@pytest.mark.parametrize(
    ("security_origin", "url", "origin"),
    [
        ("https://a", "https://b/", "https://a"),
        ("://", "about:srcdoc", "null"),
        ("://", "https://sandboxed:8/x", "https://sandboxed:8"),
        ("", "", "null"),
    ],
)
def test_origin_as_an_agent_knows_it(security_origin: str, url: str, origin: str) -> None:
    assert origin_of(security_origin, url) == origin


def test_what_a_page_asks_a_person_for_is_read_from_the_report_of_our_script() -> None:
    printed = decode_page_prompt("print", S, "F", 1.0)
    assert printed == ev.InterruptOpened(1.0, "print", S, "F", f"{S}:print")
    said = '{"permission":"geolocation","origin":"https://a","state":"denied"}'
    asked = decode_page_prompt(said, S, "F", 1.0)
    assert asked is not None
    assert (asked.kind, asked.detail["permission"]) == ("permission", "geolocation")


@pytest.mark.parametrize(
    "said",
    [
        "",
        "[]",
        "{}",
        '{"permission":"flying"}',
        '{"permission":7}',
        '{"permission":"geolocation","origin":"https://a","state":"asked"}',
        '{"permission":"geolocation","origin":"https://a","state":"granted"}',
    ],
)
def test_other_reports_open_nothing(said: str) -> None:
    assert decode_page_prompt(said, S, "F", 1.0) is None
