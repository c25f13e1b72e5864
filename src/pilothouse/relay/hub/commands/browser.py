"""Commands about the browser itself and its stores: each holds for the client's own cookie jar.

Knows: which of them name a jar, a window or a target. Must not know: sockets.
"""

from __future__ import annotations

from typing import Any, Final

from pilothouse.relay import cdp_bytes as frames
from pilothouse.relay.cdp_bytes import Asked
from pilothouse.relay.hub.client import Act, Client, ClientSession
from pilothouse.relay.hub.commands.root import NO_CONTEXT, NO_TARGET, TARGET_COMMANDS, refuse
from pilothouse.relay.hub.refusals import (
    AT_ROOT,
    destructive,
    worded,
)
from pilothouse.security.cdp_policy import RELAY, Check

__all__ = ["BROWSER_COMMANDS", "ROOT_COMMANDS", "clear", "only_alone"]


def _own_context(client: Client, session: ClientSession, asked: Asked) -> dict[str, Any] | None:
    """The params with the client's jar in them; None when they name another's."""
    params = client.params(asked)
    context = str(params.get("browserContextId") or "")
    if not context:
        # A page's session stands for its own jar already.
        if client.context and session.kind == "browser":
            params["browserContextId"] = client.context
        return params
    if client.has_context(context) or (not client.context and context == _default(client)):
        return params
    client.fail(session, asked, f"{NO_CONTEXT} {context}", frames.INVALID_PARAMS)
    return None


def _default(client: Client) -> str:
    return client.hub.default_context()


def _in_own_jar(client: Client, session: ClientSession, asked: Asked) -> None:
    params = _own_context(client, session, asked)
    if params is None:
        return
    if asked.method == "Storage.clearCookies" and not _is_own(client, session, params):
        client.fail(session, asked, destructive(asked.method))
        return
    client.forward(session, asked, params)


def _is_own(client: Client, session: ClientSession, params: dict[str, Any]) -> bool:
    """Whether what is to be cleared is in a jar that ends with the client or its owner."""
    context = str(params.get("browserContextId") or session.context)
    return client.has_context(context)


def clear(client: Client, session: ClientSession, asked: Asked) -> None:
    """Read or clear data of all sites: in a jar of the client's own, and nowhere else."""
    if client.has_context(session.context):
        client.forward(session, asked)
    else:
        client.fail(session, asked, destructive(asked.method))


def _set_downloads(client: Client, session: ClientSession, asked: Asked) -> None:
    params = _own_context(client, session, asked)
    if params is None:
        return
    client.hub.downloads.set_behavior(client, session, asked, params)


# Windows.


def _window_for_target(client: Client, session: ClientSession, asked: Asked) -> None:
    target = str(client.params(asked).get("targetId", "") or session.target)
    if not target or not client.sees_target(target):
        client.fail(session, asked, NO_TARGET, frames.INVALID_PARAMS)
        return

    def found(result: dict[str, Any], words: str) -> None:
        if words:
            client.fail(session, asked, words)
            return
        client.windows.add(int(result["windowId"]))
        client.reply(session, asked, result)

    client.ask(session, asked.method, {"targetId": target}, found)


def _own_window(client: Client, session: ClientSession, asked: Asked) -> None:
    if client.params(asked).get("windowId") in client.windows:
        client.forward(session, asked)
    else:
        client.fail(session, asked, "Browser window not found")


# The end, and what holds for every tab.


def _close(client: Client, session: ClientSession, asked: Asked) -> None:
    """End what is the client's own and hang up; the browser lives on."""
    client.hub.errands.close_client(client, session, asked)


def only_alone(client: Client, session: ClientSession, asked: Asked) -> None:
    """Change what every tab of the browser sees: while no other owner has one."""
    if client.hub.is_alone(client):
        client.forward(session, asked)
        return
    why = "it would hold for the tabs of others, and there are some in this browser"
    client.fail(session, asked, worded(asked.method, why, "use a browser of your own"))


def _certificates(client: Client, session: ClientSession, asked: Asked) -> None:
    """What is meant for the whole browser holds for the tabs of the client."""
    if client.hub.upstream.lent:
        refuse(client, session, asked)
        return
    client.lax = client.params(asked).get("ignore") is True
    for page in client.sessions.values():
        if page.kind == "page":
            client.ease(page)
    client.reply(session, asked)


BROWSER_COMMANDS: Final[dict[str, Act]] = {
    "Browser.close": _close,
    "Browser.setDownloadBehavior": _set_downloads,
    "Browser.cancelDownload": _in_own_jar,
    "Browser.grantPermissions": _in_own_jar,
    "Browser.setPermission": _in_own_jar,
    "Browser.resetPermissions": _in_own_jar,
    "Browser.getWindowForTarget": _window_for_target,
    "Browser.getWindowBounds": _own_window,
    "Browser.setWindowBounds": _own_window,
    "Browser.setContentsSize": _own_window,
    "Storage.getCookies": _in_own_jar,
    "Storage.setCookies": _in_own_jar,
    "Storage.clearCookies": _in_own_jar,
}


def _decided(check: Check) -> list[str]:
    return [method for method, decision in RELAY.items() if decision.check is check]


# What else a client may ask of the browser as a whole; the rest is not there for it.
_FORWARDED = (
    "Browser.getVersion",
    "Emulation.getScreenInfos",
    "Extensions.getExtensions",
    "Schema.getDomains",
)

ROOT_COMMANDS: Final[dict[str, Act]] = {
    **dict.fromkeys((*_decided(Check.REFUSED), *AT_ROOT), refuse),
    **dict.fromkeys(_decided(Check.ALONE), only_alone),
    **dict.fromkeys(_FORWARDED, Client.forward),
    **TARGET_COMMANDS,
    **BROWSER_COMMANDS,
    "Security.setIgnoreCertificateErrors": _certificates,
}
