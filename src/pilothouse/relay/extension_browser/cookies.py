"""Cookies of the user's profile, reached through a tab that the debugger is on. Pure.

Knows: which tab will do, and whose cookies an agent may have: all, where the user shares every tab;
else what is asked of a tab is about the cookies that its page is sent, and what is asked of the
browser about those of the tabs that are shared. The extension judges the latter too. Must not know:
what cookies say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from pilothouse.relay.extension_browser.client_session import Session
from pilothouse.relay.extension_browser.restrictions import attachable, judge, judge_tab
from pilothouse.relay.extension_browser.types import Tab, Wrong, encode, loads, refused

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import Core
    from pilothouse.relay.extension_browser.debuggee import Strand

__all__ = ["COOKIES", "of_a_tab", "through_a_tab"]

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


# Of those that write: where it says which cookies.
_WRITTEN: Mapping[str, Callable[[Params], Any]] = {
    "Network.deleteCookies": lambda params: [params],
    "Network.setCookie": lambda params: [params],
    "Network.setCookies": lambda params: params.get("cookies"),
    "Storage.setCookies": lambda params: params.get("cookies"),
}
_NOBODY = "an unnamed site"


def through_a_tab(core: Core, session: Session, number: int, method: str, params: Params) -> None:
    """Any tab of the profile will do; if the debugger is on none, it is put on one for it."""
    hosts = _hosts(core, core.tabs.by_id.values())
    wrong = judge(core.settings, method, params, None) or _strange(hosts, method, params)
    if wrong is not None:
        core.fail(session.id, number, wrong)
        return
    tab = _any_tab(core)
    if tab is None:
        core.fail(session.id, number, _NO_TAB)
        return

    def attached(wrong: Wrong | None) -> None:
        strand = core.strands.get(tab.tab_id)
        if wrong is not None or strand is None:
            core.fail(session.id, number, wrong or _NO_TAB)
        else:
            _send(core, strand, session, number, (method, params), hosts)

    core.attachments.attach(tab, attached)


def of_a_tab(
    core: Core, strand: Strand, session: Session, number: int, method: str, params: Params
) -> None:
    """What is asked on a session of a tab."""
    hosts = _hosts(core, [strand.tab])
    wrong = _strange(hosts, method, params)
    if wrong is not None:
        core.fail(session.id, number, wrong)
    else:
        _send(core, strand, session, number, (method, params), hosts)


def _send(
    core: Core,
    strand: Strand,
    session: Session,
    number: int,
    asked: tuple[str, Params],
    hosts: Collection[str] | None,
) -> None:
    """Ask the debugger, and answer with those cookies that these hosts are sent."""
    method, params = asked

    def settled(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
        if wrong is None and hosts is not None and method not in _WRITTEN and result is not None:
            told = loads(result)
            kept = [c for c in told.get("cookies", ()) if _is_sent(hosts, c.get("domain"))]
            result = msgspec.Raw(encode({**told, "cookies": kept}))
        core.settle(session.id, number, result, wrong)

    sent = encode({k: v for k, v in params.items() if k != "browserContextId"})
    core.ask_strand(strand, method, sent, settled, session=session)


def _hosts(core: Core, tabs: Iterable[Tab]) -> Collection[str] | None:
    """Whose cookies may be had; None if everybody's."""
    if core.settings.get("mode") == "auto" and core.settings.get("share") == "all":
        return None
    return {host for tab in tabs if (host := _host(tab.url))}


def _host(url: object) -> str:
    try:
        return urlsplit(str(url)).hostname or ""
    except ValueError:
        return ""


def _is_sent(hosts: Collection[str], domain: object) -> bool:
    """Whether a page of one of these hosts is sent the cookies of a domain."""
    bare = str(domain or "").removeprefix(".").lower()
    return any(host == bare or host.endswith(f".{bare}") for host in hosts if bare)


def _strange(hosts: Collection[str] | None, method: str, params: Params) -> Wrong | None:
    """Why cookies may not be changed, or None."""
    told = _WRITTEN[method](params) if hosts is not None and method in _WRITTEN else None
    for cookie in told if isinstance(told, list) else ():
        url, domain = (cookie.get(name) for name in ("url", "domain"))
        stranger = _NOBODY if not (url or domain) else ""
        if url and _host(url) not in (hosts or ()):
            stranger = _host(url) or _NOBODY
        elif domain and not _is_sent(hosts or (), domain):
            stranger = str(domain)
        if stranger:
            why = f"the user lends no cookies of {stranger} here"
            return refused(method, why, "change those of the page that the tab shows")
    return None


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
