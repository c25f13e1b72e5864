"""Made-up tab targets: Chrome has one above each page, and clients expect them.

Knows: what a tab target looks like and which page it stands for. Must not know: sessions. They are
made up because an extension browser has none, and because a real one would show everything that is
opened in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

__all__ = ["tab_id", "tab_info"]


def tab_id(page: str) -> str:
    """Return the id of the tab target above a page: stable, and no page's id."""
    return hashlib.sha256(b"tab " + page.encode()).hexdigest()[:32].upper()


def tab_info(page: Mapping[str, Any]) -> dict[str, Any]:
    """Return the target info of the tab above a page."""
    copied = ("title", "url", "attached", "browserContextId")
    return {
        "targetId": tab_id(str(page["targetId"])),
        "type": "tab",
        "canAccessOpener": False,
        **{key: page[key] for key in copied if key in page},
    }
