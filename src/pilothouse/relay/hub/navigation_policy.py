"""Check every URL that a client names against its owner's URL policy, before the browser sees it.

Knows: which commands take a URL, and whose policy applies. Must not know: sockets, or the rules
(security/url_policy.py). The checked params are forwarded re-encoded, not as raw bytes: a second
`url` key, or one written in escapes, could mean something else to the browser.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pilothouse.relay import cdp_bytes
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.refusal_texts import format_refusal
from pilothouse.relay.hub.session import ClientSession, CommandHandler
from pilothouse.supervisor.url_policy_enforcer import hint_for_verdict

__all__ = ["INVALID_URL", "NAVIGATION_COMMANDS", "address_refusal"]

# Chrome's own error texts.
INVALID_URL = "Cannot navigate to invalid URL"
_NO_ENTRY = "No entry with passed id"


def address_refusal(
    client: RelayClient, method: str, target: str, url: str, *, goes: bool = True
) -> str:
    """Return why a client may not navigate a tab to a URL or, if `goes` is False, load what is
    there. Empty when it may."""
    verdict = client.hub.supervisor.url_policy.classify_for_owner(
        client.owner, target, url, is_navigation=goes
    )
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
    error_text = ""
    # Not a string: Chrome replies with its own error.
    if isinstance(url, str):
        error_text = address_refusal(client, command.method, session.target, url)
    if error_text:
        client.fail(session, command, error_text)
        return
    client.hub.record_action(session, command)
    client.forward(session, command, params)


def _to_history_entry(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Check the URL of a history entry: the user may have visited URLs that clients may not."""
    params = client.decode_params(command)
    if not session.id:
        # A lazy session: the client has not read the history, so it cannot know an entry id.
        client.fail(session, command, _NO_ENTRY, cdp_bytes.INVALID_PARAMS)
        return

    def on_history(result: Mapping[str, Any], error_text: str) -> None:
        if error_text:
            client.fail(session, command, error_text)
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

    client.send_command(session, "Page.getNavigationHistory", {}, on_history)


def _reload(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    tab = client.hub.supervisor.state.tab_of_target(session.target)
    url = tab.url if tab is not None else ""
    error_text = (
        address_refusal(client, command.method, session.target, url, goes=False) if url else ""
    )
    if error_text:
        client.fail(session, command, error_text)
        return
    client.hub.record_action(session, command)
    client.forward(session, command)


def _continue(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Check the URL that an intercepted request is redirected to."""
    raw = bytes(command.params)
    # Most name no URL: skip decoding those. A backslash may hide the key in escapes.
    if b'"url"' not in raw and b"\\" not in raw:
        client.forward(session, command)
        return
    _load(client, session, command)


def _load(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    params = client.decode_params(command)
    url = params.get("url")
    error_text = ""
    if isinstance(url, str):
        error_text = address_refusal(client, command.method, session.target, url, goes=False)
    if error_text:
        client.fail(session, command, error_text)
    else:
        client.forward(session, command, params)


NAVIGATION_COMMANDS: Final[dict[str, CommandHandler]] = {
    "Page.navigate": _navigate,
    "Page.navigateToHistoryEntry": _to_history_entry,
    "Page.reload": _reload,
    "Fetch.continueRequest": _continue,
    "Network.loadNetworkResource": _load,
}
