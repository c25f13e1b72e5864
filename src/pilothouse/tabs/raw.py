"""Which raw CDP commands a tab's owner may send. Pure.

Knows: which commands reach beyond the tab they are sent on: into tabs and cookies of other owners
in the same browser, or to the browser itself. Must not know: sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pilothouse.errors import ToolError

__all__ = ["check_raw"]

_BEYOND = frozenset(
    {"Browser", "Extensions", "PWA", "SystemInfo", "Target", "Tethering", "Tracing"}
)
_HARMLESS = frozenset({"Browser.getVersion"})
# What would take the fence down, or read and write files wherever it likes.
_INSTEAD = {
    "DOM.setFileInputFiles": "use upload",
    "Fetch.continueRequest": "use route",
    "Fetch.continueResponse": "use route",
    "Fetch.continueWithAuth": "answer the interrupt",
    "Fetch.disable": "use unroute",
    "Fetch.enable": "use route",
    "Fetch.failRequest": "use route",
    "Fetch.fulfillRequest": "use route",
    "IO.resolveBlob": "use fetch in the page",
    "Network.loadNetworkResource": "use fetch in the page",
    "Page.setDownloadBehavior": "downloads go to the folder of the settings",
}
_NAMES_OTHERS = frozenset({"browserContextId", "targetId"})


def check_raw(
    method: str,
    params: Mapping[str, Any],
    going: Callable[[str], object] = lambda url: None,
) -> None:
    """Let a command pass that stays in its tab. Raises ToolError for any other, and whatever
    `going` raises for an address that the command goes to."""
    if not isinstance(method, str) or "." not in method:
        raise ToolError(f"command: {method!r} is none", hint='such as "Page.reload"')
    if not isinstance(params, Mapping):
        raise ToolError(f"params: {params!r} will not do", hint="an object is wanted")
    if method.partition(".")[0] in _BEYOND and method not in _HARMLESS:
        raise ToolError(
            f"{method} reaches beyond this tab", hint="use open, close and tabs; or a verb of tab"
        )
    if method in _INSTEAD:
        raise ToolError(f"{method} is not sent raw", hint=_INSTEAD[method])
    if others := _NAMES_OTHERS & set(params):
        raise ToolError(
            f"{method}: {sorted(others)[0]} reaches beyond this tab", hint="leave it out"
        )
    if method == "Page.navigate":
        going(str(params.get("url", "")))
