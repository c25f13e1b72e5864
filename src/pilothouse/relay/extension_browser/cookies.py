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

from pilothouse.relay.extension_browser.client_session import FlatSession
from pilothouse.relay.extension_browser.restrictions import check_command, check_tab, is_attachable
from pilothouse.relay.extension_browser.types import (
    ErrorReply,
    SharedTab,
    decode_object,
    encode,
    refusal,
)

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser
    from pilothouse.relay.extension_browser.debuggee import Debuggee

__all__ = ["COOKIE_METHODS", "run_on_any_tab", "run_on_tab"]

Params = Mapping[str, Any]

_NO_TAB = ErrorReply(
    -32000, "there is no tab through which cookies could be reached: open one, then ask again"
)

# What reads or writes the cookies of the profile, through whichever tab the debugger is on.
COOKIE_METHODS = frozenset(
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
_COOKIES_WRITTEN: Mapping[str, Callable[[Params], Any]] = {
    "Network.deleteCookies": lambda params: [params],
    "Network.setCookie": lambda params: [params],
    "Network.setCookies": lambda params: params.get("cookies"),
    "Storage.setCookies": lambda params: params.get("cookies"),
}
_UNNAMED = "an unnamed site"


def run_on_any_tab(
    browser: ExtensionBrowser, session: FlatSession, command_id: int, method: str, params: Params
) -> None:
    """Any tab of the profile will do; if the debugger is on none, it is put on one for it."""
    hosts = _allowed_hosts(browser, browser.tabs.by_id.values())
    error = check_command(browser.settings, method, params, None) or _refuse_other_sites(
        hosts, method, params
    )
    if error is not None:
        browser.fail(session.id, command_id, error)
        return
    tab = _choose_tab(browser)
    if tab is None:
        browser.fail(session.id, command_id, _NO_TAB)
        return

    def attached(error: ErrorReply | None) -> None:
        debuggee = browser.debuggees.get(tab.tab_id)
        if error is not None or debuggee is None:
            browser.fail(session.id, command_id, error or _NO_TAB)
        else:
            _send(browser, debuggee, session, command_id, (method, params), hosts)

    browser.attachments.attach(tab, attached)


def run_on_tab(
    browser: ExtensionBrowser,
    debuggee: Debuggee,
    session: FlatSession,
    command_id: int,
    method: str,
    params: Params,
) -> None:
    """What is asked on a session of a tab."""
    hosts = _allowed_hosts(browser, [debuggee.tab])
    error = _refuse_other_sites(hosts, method, params)
    if error is not None:
        browser.fail(session.id, command_id, error)
    else:
        _send(browser, debuggee, session, command_id, (method, params), hosts)


def _send(
    browser: ExtensionBrowser,
    debuggee: Debuggee,
    session: FlatSession,
    command_id: int,
    request: tuple[str, Params],
    hosts: Collection[str] | None,
) -> None:
    """Ask the debugger, and answer with those cookies that these hosts are sent."""
    method, params = request

    def settled(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
        if (
            error is None
            and hosts is not None
            and method not in _COOKIES_WRITTEN
            and result is not None
        ):
            told = decode_object(result)
            kept = [c for c in told.get("cookies", ()) if _gets_cookies(hosts, c.get("domain"))]
            result = msgspec.Raw(encode({**told, "cookies": kept}))
        browser.answer(session.id, command_id, result, error)

    sent = encode({k: v for k, v in params.items() if k != "browserContextId"})
    browser.send_command(debuggee, method, sent, settled, session=session)


def _allowed_hosts(browser: ExtensionBrowser, tabs: Iterable[SharedTab]) -> Collection[str] | None:
    """Whose cookies may be had; None if everybody's."""
    if browser.settings.get("mode") == "auto" and browser.settings.get("share") == "all":
        return None
    return {host for tab in tabs if (host := _host(tab.url))}


def _host(url: object) -> str:
    try:
        return urlsplit(str(url)).hostname or ""
    except ValueError:
        return ""


def _gets_cookies(hosts: Collection[str], domain: object) -> bool:
    """Whether a page of one of these hosts is sent the cookies of a domain."""
    bare = str(domain or "").removeprefix(".").lower()
    return any(host == bare or host.endswith(f".{bare}") for host in hosts if bare)


def _refuse_other_sites(
    hosts: Collection[str] | None, method: str, params: Params
) -> ErrorReply | None:
    """Why cookies may not be changed, or None."""
    told = (
        _COOKIES_WRITTEN[method](params)
        if hosts is not None and method in _COOKIES_WRITTEN
        else None
    )
    for cookie in told if isinstance(told, list) else ():
        url, domain = (cookie.get(name) for name in ("url", "domain"))
        stranger = _UNNAMED if not (url or domain) else ""
        if url and _host(url) not in (hosts or ()):
            stranger = _host(url) or _UNNAMED
        elif domain and not _gets_cookies(hosts or (), domain):
            stranger = str(domain)
        if stranger:
            why = f"the user lends no cookies of {stranger} here"
            return refusal(method, why, "change those of the page that the tab shows")
    return None


def _choose_tab(browser: ExtensionBrowser) -> SharedTab | None:
    """Best one that is attached; else one with a page that is awake."""
    usable = [
        t
        for t in browser.tabs.by_id.values()
        if t.target_id and is_attachable(t.url) and check_tab(browser.settings, t) is None
    ]
    for tab in usable:
        own = browser.debuggees.get(tab.tab_id)
        if own is not None and browser.attachments.queue_for(own) is None:
            return tab
    usable.sort(key=lambda t: (t.discarded, t.url.startswith("about:"), not t.active))
    return usable[0] if usable else None
