"""Cookie commands on the user's profile, sent through an attached tab. Pure.

Knows: which tab to use, and whose cookies an agent may have. If the user shares every tab: all.
Otherwise a tab's session gets the cookies that are sent to its page, and a browser session those
of all shared tabs. The extension checks the latter again. Must not know: what cookies mean.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from pilothouse.relay.extension_browser.agent_restrictions import (
    check_command,
    check_tab,
    is_attachable,
)
from pilothouse.relay.extension_browser.client_session import FlatSession
from pilothouse.relay.extension_browser.tab_and_message_types import (
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

# Commands that read or write the whole profile's cookies, whichever tab they are sent to.
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


# The cookies that a writing command names.
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
    """Run a cookie command of a browser session. Attaches to a tab if none is attached."""
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
    """Run a cookie command of a tab's session."""
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
    """Send the command and reply with the cookies that belong to these hosts."""
    method, params = request

    def settled(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
        if (
            error is None
            and hosts is not None
            and method not in _COOKIES_WRITTEN
            and result is not None
        ):
            reply = decode_object(result)
            kept = [c for c in reply.get("cookies", ()) if _gets_cookies(hosts, c.get("domain"))]
            result = msgspec.Raw(encode({**reply, "cookies": kept}))
        browser.answer(session.id, command_id, result, error)

    sent = encode({k: v for k, v in params.items() if k != "browserContextId"})
    browser.send_command(debuggee, method, sent, settled, session=session)


def _allowed_hosts(browser: ExtensionBrowser, tabs: Iterable[SharedTab]) -> Collection[str] | None:
    """Return the hosts whose cookies are allowed; None for all."""
    if browser.settings.get("mode") == "auto" and browser.settings.get("share") == "all":
        return None
    return {host for tab in tabs if (host := _host(tab.url))}


def _host(url: object) -> str:
    try:
        return urlsplit(str(url)).hostname or ""
    except ValueError:
        return ""


def _gets_cookies(hosts: Collection[str], domain: object) -> bool:
    """Return whether a page of one of these hosts is sent a domain's cookies."""
    bare = str(domain or "").removeprefix(".").lower()
    return any(host == bare or host.endswith(f".{bare}") for host in hosts if bare)


def _refuse_other_sites(
    hosts: Collection[str] | None, method: str, params: Params
) -> ErrorReply | None:
    """Return the error for writing cookies of a site that is not shared, or None."""
    written = (
        _COOKIES_WRITTEN[method](params)
        if hosts is not None and method in _COOKIES_WRITTEN
        else None
    )
    for cookie in written if isinstance(written, list) else ():
        url, domain = (cookie.get(name) for name in ("url", "domain"))
        other = _UNNAMED if not (url or domain) else ""
        if url and _host(url) not in (hosts or ()):
            other = _host(url) or _UNNAMED
        elif domain and not _gets_cookies(hosts or (), domain):
            other = str(domain)
        if other:
            why = f"the user shares no cookies of {other} here"
            return refusal(method, why, "change those of the page that the tab shows")
    return None


def _choose_tab(browser: ExtensionBrowser) -> SharedTab | None:
    """Choose an attached tab; otherwise prefer one that is loaded, on a site and active."""
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
