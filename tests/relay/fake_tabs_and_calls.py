"""What the fake extension's browser is made of: tabs, commands, answers, and the pairing proof."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class FakeTab:
    """One tab. Its target id is its main frame's id, unless a prerendered page took over."""

    tab_id: int
    url: str = "https://example.test/"
    title: str = "Example"
    target_id: str = ""
    frame_id: str = ""
    window_id: int = 1
    opener: int | None = None
    # The target that opened it, which only its debugger tells.
    opened_by: str = ""
    active: bool = False
    discarded: bool = False
    attached: bool = False
    # By child session id ("" is the tab's own): the domains that are on.
    enabled: dict[str, set[str]] = field(default_factory=dict)
    contexts: int = 1

    def __post_init__(self) -> None:
        self.target_id = self.target_id or f"{self.tab_id:032X}"
        self.frame_id = self.frame_id or self.target_id

    def shown(self) -> dict[str, Any]:
        """As listTabs tells it."""
        told: dict[str, Any] = {
            "tabId": self.tab_id,
            "targetId": self.target_id,
            "windowId": self.window_id,
            "url": self.url,
            "title": self.title,
            "active": self.active,
            "discarded": self.discarded,
            "attached": self.attached,
        }
        return told if self.opener is None else {**told, "openerTabId": self.opener}

    def context(self) -> dict[str, Any]:
        """Its main world, as Runtime tells it."""
        aux = {"isDefault": True, "type": "default", "frameId": self.frame_id}
        unique = f"{self.tab_id}.{self.contexts}"
        return {
            "context": {
                "id": self.contexts,
                "uniqueId": unique,
                "origin": self.url,
                "name": "",
                "auxData": aux,
            }
        }


@dataclass(frozen=True, slots=True)
class Call:
    """One CDP command that reached the debugger."""

    tab: FakeTab
    child: str
    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Failed:
    """An error for an answer."""

    message: str
    code: int = -32000


class Held:
    """No reply yet."""


HELD = Held()


def proof(secret: str, words: str) -> str:
    """What only somebody who has the pairing secret can say."""
    return hmac.new(secret.encode(), words.encode(), hashlib.sha256).hexdigest()
