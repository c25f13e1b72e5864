"""Read-only scripts: the functions of our bundles that only read a page. Under "read only" the
extension lets these run and refuses all others.

Knows: which functions read, and which change or scroll something. Must not know: who enforces it
(relay/extension_browser/agent_restrictions.py, the extension). A test demands that every function
is in one of the two lists.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from pilothouse.errors import ToolError
from pilothouse.page.world.bundle_lookup import (
    ACTION_BUNDLE,
    SNAPSHOT_BUNDLE,
    call_declaration,
    readability_source,
)
from pilothouse.page.world.closed_shadow_roots import ADOPT, SUSPECT
from pilothouse.page.world.iframe_elements import NUMBERS
from pilothouse.security.read_only_script_hashes import digest

__all__ = ["CHANGES", "READS", "read_only_script_table"]

_log = logging.getLogger(__name__)

# These read the page, or store numbers and names in our own world.
READS: Final = frozenset(
    {"adopt", "again", "article", "beginNames", "box", "candidates", "changed", "copied", "count",
     "countMatches", "density", "everything", "extract", "focused", "frameNumber", "frameOrigin",
     "hasText", "held", "images", "inspect", "mark", "marked", "nameOf", "next",
     "numberFor", "ownName", "ownRole", "roleOf", "scrollState", "scrolled", "stillFor",
     "submitter", "suspect", "takes", "walk", "writeMarked"}
)  # fmt: skip
# These click, type, choose, focus, scroll or add listeners, or read what the user's sites stored.
CHANGES: Final = frozenset(
    {"alone", "choices", "choose", "chosen", "disarm", "dragEnd", "dragState", "dragWatch",
     "effects", "element", "fileInput", "filesGiven", "gripped", "insertHere", "prepare", "probe",
     "scrollBy", "scrollEdge", "scrollIntoView", "scrollPoint", "scrollStart", "storage",
     "takeFocus", "watch"}
)  # fmt: skip
# Calls another function by name; the extension checks that name against the table, too.
DISPATCHER: Final = "alone"


@cache
def read_only_script_table() -> dict[str, Any]:
    """Build the table: digests and lengths of all texts, and what the dispatcher may call."""
    texts = list(_texts())
    return {
        "texts": sorted({digest(text) for text in texts}),
        "lengths": sorted({len(text.encode("utf-16-le")) // 2 for text in texts}),
        "alone": [digest(call_declaration(DISPATCHER))],
        "calls": sorted(READS),
    }


def _texts() -> Iterator[str]:
    # The scripts themselves only declare functions.
    yield from (SNAPSHOT_BUNDLE, ACTION_BUNDLE, NUMBERS, SUSPECT, ADOPT)
    try:
        yield readability_source()
    except ToolError as error:
        _log.info("articles cannot be read under read only: %s", error.message)
    for function in sorted(READS | {DISPATCHER}):
        yield call_declaration(function)
