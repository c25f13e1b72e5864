"""What the pages say."""

from __future__ import annotations

import pilothouse
from pilothouse.relay.server.client_slots import Slots
from pilothouse.relay.server.json_bodies import BrowserFacts, page_body

ADDRESS = "ws://127.0.0.1:1/cdp?token=t"
FACTS: BrowserFacts = {
    "version": {
        "product": "Chrome/156.0.1",
        "protocolVersion": "1.3",
        "userAgent": "Mozilla/5.0",
        "jsVersion": "15.6",
        "revision": "@abc",
    },
    "targets": [{"targetId": "T1", "type": "page_body", "title": "One", "url": "https://one/"}],
    "extension": {"connected": True, "activeTargets": 1},
    "tabs": [{"tabId": 7}],
    "restrictions": {"readOnly": True},
}


def said(route: str, facts: BrowserFacts = FACTS) -> object:
    return page_body(route, facts, Slots().status(), ADDRESS)


def test_version_is_that_of_the_browser_with_the_way_in() -> None:
    assert said("/json/version") == {
        "Browser": "Chrome/156.0.1",
        "Protocol-Version": "1.3",
        "User-Agent": "Mozilla/5.0",
        "V8-Version": "15.6",
        "WebKit-Version": "@abc",
        "webSocketDebuggerUrl": ADDRESS,
    }
    assert said("/json/version", {}) == {
        "Browser": f"Pilothouse/{pilothouse.__version__}",
        "Protocol-Version": "1.3",
        "webSocketDebuggerUrl": ADDRESS,
    }


def test_lists_name_every_target() -> None:
    expected = [
        {
            "description": "",
            "id": "T1",
            "title": "One",
            "type": "page_body",
            "url": "https://one/",
            "webSocketDebuggerUrl": ADDRESS,
        }
    ]
    assert said("/json/list") == said("/json") == expected
    assert said("/json/list", {}) == []


def test_the_rest_says_what_is_known() -> None:
    assert said("/") == {
        "status": "ok",
        "version": pilothouse.__version__,
        "extension": True,
        "targets": 1,
        "clients": 0,
    }
    assert said("/client-slot") == Slots().status()
    assert said("/extension/status") == {"connected": True, "activeTargets": 1}
    assert said("/extension/status", {}) == {"connected": False}
    assert said("/attached-tabs") == {"tabs": [{"tabId": 7}]}
    assert said("/restrictions") == {"readOnly": True}
