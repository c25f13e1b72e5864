"""Commands about the browser and its storage, each limited to the client's own browser contexts.

Knows: which of them name a context, a window or a target. Must not know: sockets.
"""

from __future__ import annotations

from typing import Any, Final

from pilothouse.relay import cdp_bytes
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.commands.target import NO_CONTEXT, NO_TARGET, TARGET_COMMANDS, refuse
from pilothouse.relay.hub.refusal_texts import format_refusal, profile_data_refusal
from pilothouse.relay.hub.session import ClientSession, CommandHandler
from pilothouse.security.cdp_policy import REFUSED_AT_ROOT, RELAY, Check

__all__ = ["BROWSER_COMMANDS", "ROOT_COMMANDS", "clear", "only_alone"]


def _own_context(
    client: RelayClient, session: ClientSession, command: ClientCommand
) -> dict[str, Any] | None:
    """Return the params with the client's context filled in; None if they name another's."""
    params = client.decode_params(command)
    context = str(params.get("browserContextId") or "")
    if not context:
        # A page's session implies its own context.
        if client.context and session.kind == "browser":
            params["browserContextId"] = client.context
        return params
    if client.has_context(context) or (not client.context and context == _default(client)):
        return params
    client.fail(session, command, f"{NO_CONTEXT} {context}", cdp_bytes.INVALID_PARAMS)
    return None


def _default(client: RelayClient) -> str:
    return client.hub.default_context()


def _in_own_context(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    params = _own_context(client, session, command)
    if params is None:
        return
    if command.method == "Storage.clearCookies" and not _is_own(client, session, params):
        client.fail(session, command, profile_data_refusal(command.method))
        return
    client.forward(session, command, params)


def _is_own(client: RelayClient, session: ClientSession, params: dict[str, Any]) -> bool:
    """Return whether the data to clear is in a context that ends with the client or its owner."""
    context = str(params.get("browserContextId") or session.context)
    return client.has_context(context)


def clear(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Read or clear data of all sites, only in a context of the client's own."""
    if client.has_context(session.context):
        client.forward(session, command)
    else:
        client.fail(session, command, profile_data_refusal(command.method))


def _set_downloads(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    params = _own_context(client, session, command)
    if params is None:
        return
    client.hub.downloads.set_behavior(client, session, command, params)


# Windows.


def _window_for_target(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    target = str(client.decode_params(command).get("targetId", "") or session.target)
    if not target or not client.can_see_target(target):
        client.fail(session, command, NO_TARGET, cdp_bytes.INVALID_PARAMS)
        return

    def on_window(result: dict[str, Any], error_text: str) -> None:
        if error_text:
            client.fail(session, command, error_text)
            return
        client.windows.add(int(result["windowId"]))
        client.reply(session, command, result)

    client.send_command(session, command.method, {"targetId": target}, on_window)


def _own_window(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    if client.decode_params(command).get("windowId") in client.windows:
        client.forward(session, command)
    else:
        client.fail(session, command, "Browser window not found")


# Closing, and settings for every tab.


def _close(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Close what is the client's own and disconnect it; the browser keeps running."""
    client.hub.client_tasks.close_client(client, session, command)


def only_alone(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Forward a command that affects every tab, only while no other owner has one."""
    if client.hub.is_alone(client):
        client.forward(session, command)
        return
    why = "it would affect the tabs of others in this browser"
    client.fail(session, command, format_refusal(command.method, why, "use a browser of your own"))


def _certificates(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Apply a browser-wide certificate setting to the client's own tabs."""
    if client.hub.upstream.is_extension:
        refuse(client, session, command)
        return
    client.ignore_certificate_errors = client.decode_params(command).get("ignore") is True
    for page in client.sessions.values():
        if page.kind == "page":
            client.apply_certificate_setting(page)
    client.reply(session, command)


BROWSER_COMMANDS: Final[dict[str, CommandHandler]] = {
    "Browser.close": _close,
    "Browser.setDownloadBehavior": _set_downloads,
    "Browser.cancelDownload": _in_own_context,
    "Browser.grantPermissions": _in_own_context,
    "Browser.setPermission": _in_own_context,
    "Browser.resetPermissions": _in_own_context,
    "Browser.getWindowForTarget": _window_for_target,
    "Browser.getWindowBounds": _own_window,
    "Browser.setWindowBounds": _own_window,
    "Browser.setContentsSize": _own_window,
    "Storage.getCookies": _in_own_context,
    "Storage.setCookies": _in_own_context,
    "Storage.clearCookies": _in_own_context,
}


def _decided(check: Check) -> list[str]:
    return [method for method, decision in RELAY.items() if decision.check is check]


# Other methods a client may send to the browser itself; any other does not exist for it.
_FORWARDED = (
    "Browser.getVersion",
    "Emulation.getScreenInfos",
    "Extensions.getExtensions",
    "Schema.getDomains",
)

ROOT_COMMANDS: Final[dict[str, CommandHandler]] = {
    **dict.fromkeys((*_decided(Check.REFUSED), *REFUSED_AT_ROOT), refuse),
    **dict.fromkeys(_decided(Check.ALONE), only_alone),
    **dict.fromkeys(_FORWARDED, RelayClient.forward),
    **TARGET_COMMANDS,
    **BROWSER_COMMANDS,
    "Security.setIgnoreCertificateErrors": _certificates,
}
