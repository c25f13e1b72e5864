"""Cookies of the user's profile, reached through a tab that the debugger is on. Pure.

Knows: which tab will do. Must not know: the cookies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.lent_sessions import Session
from pilothouse.relay.lent_shapes import Tab, Wrong, encode
from pilothouse.relay.restrictions import attachable, judge, judge_tab

if TYPE_CHECKING:
    from pilothouse.relay.lent_core import Core

__all__ = ["COOKIES", "through_a_tab"]

Params = Mapping[str, Any]

_NO_TAB = Wrong(
    -32000, "there is no tab through which cookies could be reached: open one, then ask again"
)

# What reads or writes the cookies of the profile, through whichever tab the debugger is on.
COOKIES = frozenset(
    {
        "Network.deleteCookies",
        "Network.getAllCookies",
        "Network.getCookies",
        "Network.setCookie",
        "Network.setCookies",
        "Storage.getCookies",
        "Storage.setCookies",
    }
)


def through_a_tab(core: Core, session: Session, number: int, method: str, params: Params) -> None:
    """Any tab of the profile will do; if the debugger is on none, it is put on one for it."""
    wrong = judge(core.settings, method, params, None)
    if wrong is not None:
        core.fail(session.id, number, wrong)
        return
    tab = _any_tab(core)
    if tab is None:
        core.fail(session.id, number, _NO_TAB)
        return
    sent = encode({k: v for k, v in params.items() if k != "browserContextId"})

    def attached(wrong: Wrong | None) -> None:
        strand = core.strands.get(tab.tab_id)
        if wrong is not None or strand is None:
            core.fail(session.id, number, wrong or _NO_TAB)
            return
        core.ask_strand(strand, method, sent, settled, session=session)

    def settled(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
        core.settle(session.id, number, result, wrong)

    core.attachments.attach(tab, attached)


def _any_tab(core: Core) -> Tab | None:
    """Best one that is attached; else one with a page that is awake."""
    usable = [
        t
        for t in core.tabs.by_id.values()
        if t.target_id and attachable(t.url) and judge_tab(core.settings, t) is None
    ]
    for tab in usable:
        own = core.strands.get(tab.tab_id)
        if own is not None and core.attachments.held_for(own) is None:
            return tab
    usable.sort(key=lambda t: (t.discarded, t.url.startswith("about:"), not t.active))
    return usable[0] if usable else None
