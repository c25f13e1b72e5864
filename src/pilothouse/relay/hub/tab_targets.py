"""Tab targets, as Chrome has above each page, made up from the pages themselves.

Knows: what a tab target looks like and which page it stands for. Must not know: sessions. They
are made up because a browser that is lent has none, and because a real one would show everything
that is opened in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

__all__ = ["tab_id", "tab_info"]


def tab_id(page: str) -> str:
    """The id of the tab above a page: always the same one, and no page's."""
    return hashlib.sha256(b"tab " + page.encode()).hexdigest()[:32].upper()


def tab_info(page: Mapping[str, Any]) -> dict[str, Any]:
    """What is told of the tab above a page."""
    kept = ("title", "url", "attached", "browserContextId")
    return {
        "targetId": tab_id(str(page["targetId"])),
        "type": "tab",
        "canAccessOpener": False,
        **{key: page[key] for key in kept if key in page},
    }
