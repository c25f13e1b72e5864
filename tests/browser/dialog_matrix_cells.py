"""The dialog matrix as data: every cell that can exist, and why the others cannot."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.browser.browser_with_dialog_places import PLACES

__all__ = ["CELLS", "DEFAULT", "IMPOSSIBLE", "TEXT", "TYPES", "Cell"]

TYPES = ("alert", "confirm", "prompt", "beforeunload")
ANSWERS = ("accept", "dismiss", "text")
ENDERS = ("agent", "auto_policy", "watchdog", "navigation", "tab_closed")

DEFAULT = "the default"
TEXT = 'words, "quotes" and ünïcode'


@dataclass(frozen=True, slots=True)
class Cell:
    """One way for one dialog to open and to end."""

    type: str
    place: str
    answer: str
    ender: str

    def __str__(self) -> str:
        return f"{self.type}-{self.place}-{self.answer}-{self.ender}"

    @property
    def accept(self) -> bool:
        """Whether it ends with yes."""
        return self.answer != "dismiss"

    @property
    def page_gets(self) -> Any:
        """What the page's call returns (`undefined` reads as None)."""
        match self.type, self.answer:
            case "confirm", answer:
                return answer == "accept"
            case "prompt", "accept":
                return DEFAULT
            case "prompt", "text":
                return TEXT
        return None

    @property
    def asks(self) -> str:
        """The script that opens it and keeps what came back."""
        default = f", {DEFAULT!r}" if self.type == "prompt" else ""
        return f"got = {self.type}('Sure?'{default})"


# Whoever asks "why is this cell missing" finds the reason here; nothing else may be missing.
IMPOSSIBLE: dict[str, Callable[[Cell], bool]] = {
    "text is for prompt": lambda c: c.answer == "text" and c.type != "prompt",
    "a policy knows no text": lambda c: c.answer == "text" and c.ender == "auto_policy",
    "the watchdog only dismisses": lambda c: c.answer != "dismiss" and c.ender == "watchdog",
    "a page that goes away gets the dismissed value": lambda c: (
        c.answer != "dismiss" and c.ender in ("navigation", "tab_closed")
    ),
    "a second navigation waits until the question about the first is answered": lambda c: (
        c.type == "beforeunload" and c.ender == "navigation"
    ),
}

ALL = tuple(itertools.starmap(Cell, itertools.product(TYPES, PLACES, ANSWERS, ENDERS)))
CELLS = tuple(cell for cell in ALL if not any(why(cell) for why in IMPOSSIBLE.values()))
