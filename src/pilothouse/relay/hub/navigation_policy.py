"""Every address that a client names is judged before the browser sees it.

Knows: which commands take an address, and whose URL policy judges it. Must not know: sockets, or
the rules (security/url_policy.py). What was judged is sent on as it was read: a second `url` in
the same message, or one in escapes, would be read otherwise by the browser.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pilothouse.relay import cdp_bytes
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.client import ClientSession, CommandHandler, RelayClient
from pilothouse.relay.hub.refusals import format_refusal
from pilothouse.supervisor.url_policy_enforcer import hint_for_verdict

__all__ = ["INVALID_URL", "NAVIGATION_COMMANDS", "address_refusal"]

# Chrome's own words.
INVALID_URL = "Cannot navigate to invalid URL"
_NO_ENTRY = "No entry with passed id"


def address_refusal(
    client: RelayClient, method: str, target: str, url: str, *, goes: bool = True
) -> str:
    """Why a client may not send a tab to an address, or (`goes` is False) load what is there; empty
    when it may."""
    verdict = client.hub.supervisor.url_policy.classify_for_owner(client.owner, target, url, is_navigation=goes)
    if verdict:
        return ""
    if verdict.rule == "unreadable":
        return INVALID_URL
    return format_refusal(
        method, f"{verdict.reason} (policy: {verdict.rule})", hint_for_verdict(verdict)
    )


def _navigate(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    params = client.decode_params(command)
    url = params.get("url")
    words = ""
    # What is no text is no address to Chrome either: it says so.
    if isinstance(url, str):
        words = address_refusal(client, command.method, session.target, url)
    if words:
        client.fail(session, command, words)
        return
    client.hub.record_action(session, command)
    client.forward(session, command, params)


def _to_history_entry(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """A person may have been at addresses that no client goes to, and a tab remembers them."""
    params = client.decode_params(command)
    if not session.id:
        # It has command for no history yet, so it can mean no entry.
        client.fail(session, command, _NO_ENTRY, cdp_bytes.INVALID_PARAMS)
        return

    def known(result: Mapping[str, Any], words: str) -> None:
        if words:
            client.fail(session, command, words)
            return
        entries = {one["id"]: str(one["url"]) for one in result["entries"]}
        url = entries.get(params.get("entryId"))
        if url is None:
            client.fail(session, command, _NO_ENTRY, cdp_bytes.INVALID_PARAMS)
            return
        refused = address_refusal(client, command.method, session.target, url)
        if refused:
            client.fail(session, command, refused)
            return
        client.hub.record_action(session, command)
        client.forward(session, command, params)

    client.send_command(session, "Page.getNavigationHistory", {}, known)


def _reload(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    tab = client.hub.supervisor.state.tab_of_target(session.target)
    url = tab.url if tab is not None else ""
    words = address_refusal(client, command.method, session.target, url, goes=False) if url else ""
    if words:
        client.fail(session, command, words)
        return
    client.hub.record_action(session, command)
    client.forward(session, command)


def _continue(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """A stopped request may go on to another address."""
    raw = bytes(command.params)
    # Most name none. A name may be spelled in escapes.
    if b'"url"' not in raw and b"\\" not in raw:
        client.forward(session, command)
        return
    _load(client, session, command)


def _load(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    params = client.decode_params(command)
    url = params.get("url")
    words = ""
    if isinstance(url, str):
        words = address_refusal(client, command.method, session.target, url, goes=False)
    if words:
        client.fail(session, command, words)
    else:
        client.forward(session, command, params)


NAVIGATION_COMMANDS: Final[dict[str, CommandHandler]] = {
    "Page.navigate": _navigate,
    "Page.navigateToHistoryEntry": _to_history_entry,
    "Page.reload": _reload,
    "Fetch.continueRequest": _continue,
    "Network.loadNetworkResource": _load,
}
