"""Every address that a client names is judged before the browser sees it.

Knows: which commands take an address, and whose URL policy judges it. Must not know: sockets, or
the rules (security/url_policy.py). What was judged is sent on as it was read: a second `url` in
the same message, or one in escapes, would be read otherwise by the browser.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pilothouse.relay import cdp_bytes as frames
from pilothouse.relay.cdp_bytes import Asked
from pilothouse.relay.hub.client import Act, Client, ClientSession
from pilothouse.relay.hub.refusals import worded
from pilothouse.supervisor.url_policy_enforcer import way_on

__all__ = ["INVALID_URL", "NAVIGATION_COMMANDS", "address_refusal"]

# Chrome's own words.
INVALID_URL = "Cannot navigate to invalid URL"
_NO_ENTRY = "No entry with passed id"


def address_refusal(
    client: Client, method: str, target: str, url: str, *, goes: bool = True
) -> str:
    """Why a client may not send a tab to an address, or (`goes` is False) load what is there; empty
    when it may."""
    verdict = client.hub.supervisor.fences.judge(client.owner, target, url, goes=goes)
    if verdict:
        return ""
    if verdict.rule == "unreadable":
        return INVALID_URL
    return worded(method, f"{verdict.reason} (policy: {verdict.rule})", way_on(verdict))


def _navigate(client: Client, session: ClientSession, asked: Asked) -> None:
    params = client.params(asked)
    url = params.get("url")
    words = ""
    # What is no text is no address to Chrome either: it says so.
    if isinstance(url, str):
        words = address_refusal(client, asked.method, session.target, url)
    if words:
        client.fail(session, asked, words)
        return
    client.hub.acted(session, asked)
    client.forward(session, asked, params)


def _to_history_entry(client: Client, session: ClientSession, asked: Asked) -> None:
    """A person may have been at addresses that no client goes to, and a tab remembers them."""
    params = client.params(asked)
    if not session.id:
        # It has asked for no history yet, so it can mean no entry.
        client.fail(session, asked, _NO_ENTRY, frames.INVALID_PARAMS)
        return

    def known(result: Mapping[str, Any], words: str) -> None:
        if words:
            client.fail(session, asked, words)
            return
        entries = {one["id"]: str(one["url"]) for one in result["entries"]}
        url = entries.get(params.get("entryId"))
        if url is None:
            client.fail(session, asked, _NO_ENTRY, frames.INVALID_PARAMS)
            return
        refused = address_refusal(client, asked.method, session.target, url)
        if refused:
            client.fail(session, asked, refused)
            return
        client.hub.acted(session, asked)
        client.forward(session, asked, params)

    client.ask(session, "Page.getNavigationHistory", {}, known)


def _reload(client: Client, session: ClientSession, asked: Asked) -> None:
    tab = client.hub.supervisor.state.tab_of_target(session.target)
    url = tab.url if tab is not None else ""
    words = address_refusal(client, asked.method, session.target, url, goes=False) if url else ""
    if words:
        client.fail(session, asked, words)
        return
    client.hub.acted(session, asked)
    client.forward(session, asked)


def _continue(client: Client, session: ClientSession, asked: Asked) -> None:
    """A stopped request may go on to another address."""
    raw = bytes(asked.params)
    # Most name none. A name may be spelled in escapes.
    if b'"url"' not in raw and b"\\" not in raw:
        client.forward(session, asked)
        return
    _load(client, session, asked)


def _load(client: Client, session: ClientSession, asked: Asked) -> None:
    params = client.params(asked)
    url = params.get("url")
    words = ""
    if isinstance(url, str):
        words = address_refusal(client, asked.method, session.target, url, goes=False)
    if words:
        client.fail(session, asked, words)
    else:
        client.forward(session, asked, params)


NAVIGATION_COMMANDS: Final[dict[str, Act]] = {
    "Page.navigate": _navigate,
    "Page.navigateToHistoryEntry": _to_history_entry,
    "Page.reload": _reload,
    "Fetch.continueRequest": _continue,
    "Network.loadNetworkResource": _load,
}
