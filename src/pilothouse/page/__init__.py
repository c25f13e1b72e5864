"""One page: everything that an agent reads from a tab and does in it, in all of its frames.

    page.py                   Page: one object with everything below
    tab_context.py            TabContext: the tab, its frames and sessions, as every part uses it
    world/                    our scripts in an isolated world of each frame
    snapshot/                 the page as text with refs
    input/                    selectors, actionability, mouse, keyboard, forms; Receipt says what
                              happened
    navigation/               goto, back, reload; waits
    network/                  the log of requests, HAR, routes
    storage/                  cookies, web storage, downloads, saved state
    emulation/                device, locale, network conditions
    media/                    screenshots, PDF, the page's images
    extract/                  the page as markdown
    script/                   evaluate, console
    blocked_time_deadline.py  Deadline: a timeout that stands still while a dialog is open
    internal_hidden_page.py   HiddenPage: an invisible page of our own
    local_files.py            reads and writes files, only in allowed folders

A call such as `page.click("e12")` resolves the selector to an element in a frame (input/), runs a
function of our scripts there (world/), sends CDP input, and races all of it against dialogs
(TabContext.race). The result is an Outcome: a Receipt, or what blocks the tab.
"""

from __future__ import annotations

from pilothouse.page.input import Receipt
from pilothouse.page.page import Page
from pilothouse.page.snapshot import Snapshot, SnapshotOptions

__all__ = ["Page", "Receipt", "Snapshot", "SnapshotOptions"]
