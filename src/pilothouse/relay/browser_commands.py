"""Commands about the browser itself and its stores: each holds for the client's own cookie jar.

Knows: which of them name a jar, a window or a target. Must not know: sockets.
"""

from __future__ import annotations

from typing import Any, Final

from pilothouse.relay import frames
from pilothouse.relay.client import Act, Client, ClientSession
from pilothouse.relay.frames import Asked
from pilothouse.relay.refusals import (
    ALWAYS,
    DESTRUCTIVE,
    destructive,
    download_refusal,
    worded,
)
from pilothouse.relay.root_commands import NO_CONTEXT, NO_TARGET, TARGET_COMMANDS, refuse

__all__ = ["BROWSER_COMMANDS", "ROOT_COMMANDS", "clear", "forwarded_at_root"]


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
    if asked.method in DESTRUCTIVE and not _is_own(client, session, params):
        client.fail(session, asked, destructive(asked.method))
        return
    client.forward(session, asked, params)


def _is_own(client: Client, session: ClientSession, params: dict[str, Any]) -> bool:
    """Whether what is to be cleared is in a jar that ends with the client or its owner."""
    context = str(params.get("browserContextId") or session.context)
    return client.has_context(context)


def clear(client: Client, session: ClientSession, asked: Asked) -> None:
    """Clear something: in a jar of the client's own, and nowhere else."""
    if client.has_context(session.context):
        client.forward(session, asked)
    else:
        client.fail(session, asked, destructive(asked.method))


def _set_downloads(client: Client, session: ClientSession, asked: Asked) -> None:
    params = _own_context(client, session, asked)
    if params is None:
        return
    words = download_refusal(params, client.hub.upstream.roots)
    if words:
        client.fail(session, asked, words.replace("Browser.setDownloadBehavior", asked.method))
        return
    if session.kind == "browser":
        client.downloads.add(str(params.get("browserContextId") or ""))
    client.forward(session, asked, params)


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


# The end, and what sees everything.


def _close(client: Client, session: ClientSession, asked: Asked) -> None:
    """End what is the client's own and hang up; the browser lives on."""
    client.hub.errands.close_client(client, session, asked)


def _trace(client: Client, session: ClientSession, asked: Asked) -> None:
    if client.hub.is_alone(client):
        client.forward(session, asked)
        return
    words = worded(
        asked.method,
        "a trace tells of the tabs of others, and there are some in this browser",
        "trace a browser of your own, or a page by Profiler and Performance",
    )
    client.fail(session, asked, words)


def _for_all(client: Client, session: ClientSession, asked: Asked) -> None:
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
    **{method: refuse for method in ALWAYS if method.startswith(("Browser.", "Storage."))},
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

# What changes the machine that every page of the browser believes to be on.
_FOR_ALL = (
    "Emulation.addScreen",
    "Emulation.removeScreen",
    "Emulation.updateScreen",
    "Emulation.setPrimaryScreen",
    "BluetoothEmulation.enable",
    "BluetoothEmulation.disable",
    "BluetoothEmulation.setSimulatedCentralState",
    "BluetoothEmulation.simulatePreconnectedPeripheral",
    "BluetoothEmulation.simulateAdvertisement",
    "BluetoothEmulation.simulateGATTOperationResponse",
)

ROOT_COMMANDS: Final[dict[str, Act]] = {
    **dict.fromkeys(ALWAYS, refuse),
    **TARGET_COMMANDS,
    **BROWSER_COMMANDS,
    "Tracing.start": _trace,
    "Security.setIgnoreCertificateErrors": _certificates,
    **dict.fromkeys(_FOR_ALL, _for_all),
}

# What else a client may ask of the browser as a whole; the rest is not there for it.
_FORWARDED = frozenset(
    {
        "Browser.getVersion",
        "Browser.getHistogram",
        "Browser.getHistograms",
        "Emulation.getScreenInfos",
        "Extensions.getExtensions",
        "Schema.getDomains",
        "SystemInfo.getInfo",
        "SystemInfo.getFeatureState",
        "SystemInfo.getProcessInfo",
    }
)
_FORWARDED_DOMAINS = ("Tracing.", "IO.")


def forwarded_at_root(method: str) -> bool:
    """Whether a command goes to the browser as it is."""
    return method in _FORWARDED or method.startswith(_FORWARDED_DOMAINS)
