"""What sessions have set on a page that they share: emulation, headers, flags. Pure.

Knows: which command sets what, how wishes of several sessions go together, and what undoes them.
Must not know: the wire. It says which commands to send; who sends them is not its concern.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Wishes", "sets_something"]

Params = Mapping[str, Any]
Sent = tuple[str, Params]

# Flags that hold while any session wants them, as in a browser with several sessions.
_FLAGS = {
    "Emulation.setAutomationOverride": "enabled",
    "Emulation.setDocumentCookieDisabled": "disabled",
    "Emulation.setEmitTouchEventsForMouse": "enabled",
    "Emulation.setFocusEmulationEnabled": "enabled",
    "Emulation.setScriptExecutionDisabled": "value",
    "Emulation.setScrollbarsHidden": "hidden",
    "Input.setInterceptDrags": "enabled",
    "Network.setBypassServiceWorker": "bypass",
    "Network.setCacheDisabled": "cacheDisabled",
    "Page.setBypassCSP": "enabled",
    "Page.setInterceptFileChooserDialog": "enabled",
    "Page.setLifecycleEventsEnabled": "enabled",
    "Runtime.setCustomObjectFormatterEnabled": "enabled",
}

# Whoever spoke last is obeyed. What undoes it: a command of its own, or the same with other params.
_LAST: dict[str, Sent] = {
    "Debugger.setAsyncCallStackDepth": ("Debugger.setAsyncCallStackDepth", {"maxDepth": 0}),
    "Debugger.setPauseOnExceptions": ("Debugger.setPauseOnExceptions", {"state": "none"}),
    "Debugger.setSkipAllPauses": ("Debugger.setSkipAllPauses", {"skip": False}),
    "Emulation.setAutoDarkModeOverride": ("Emulation.setAutoDarkModeOverride", {}),
    "Emulation.setCPUThrottlingRate": ("Emulation.setCPUThrottlingRate", {"rate": 1}),
    "Emulation.setDefaultBackgroundColorOverride": (
        "Emulation.setDefaultBackgroundColorOverride",
        {},
    ),
    "Emulation.setDeviceMetricsOverride": ("Emulation.clearDeviceMetricsOverride", {}),
    "Emulation.setDevicePostureOverride": ("Emulation.clearDevicePostureOverride", {}),
    "Emulation.setEmulatedMedia": ("Emulation.setEmulatedMedia", {"media": "", "features": []}),
    "Emulation.setEmulatedVisionDeficiency": (
        "Emulation.setEmulatedVisionDeficiency",
        {"type": "none"},
    ),
    "Emulation.setGeolocationOverride": ("Emulation.clearGeolocationOverride", {}),
    "Emulation.setIdleOverride": ("Emulation.clearIdleOverride", {}),
    "Emulation.setLocaleOverride": ("Emulation.setLocaleOverride", {}),
    "Emulation.setPageScaleFactor": ("Emulation.resetPageScaleFactor", {}),
    "Emulation.setTimezoneOverride": ("Emulation.setTimezoneOverride", {"timezoneId": ""}),
    "Emulation.setTouchEmulationEnabled": (
        "Emulation.setTouchEmulationEnabled",
        {"enabled": False},
    ),
    "Emulation.setUserAgentOverride": ("Emulation.setUserAgentOverride", {"userAgent": ""}),
    "Input.setIgnoreInputEvents": ("Input.setIgnoreInputEvents", {"ignore": False}),
    "Network.emulateNetworkConditions": (
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
    ),
    "Network.setAcceptedEncodings": ("Network.clearAcceptedEncodingsOverride", {}),
    "Network.setUserAgentOverride": ("Network.setUserAgentOverride", {"userAgent": ""}),
    "Overlay.setInspectMode": (
        "Overlay.setInspectMode",
        {"mode": "none", "highlightConfig": {}},
    ),
    "Page.setPrerenderingAllowed": ("Page.setPrerenderingAllowed", {"isAllowed": True}),
}

# Everybody's entries together.
_UNITED = {"Network.setBlockedURLs": "urls", "Network.setExtraHTTPHeaders": "headers"}

_CLEARS = {undo: method for method, (undo, _) in _LAST.items() if undo != method}


def sets_something(method: str) -> bool:
    """Whether a command's effect outlives it."""
    return method in _FLAGS or method in _LAST or method in _UNITED or method in _CLEARS


class Wishes:
    """The wishes of all sessions of one page, and what the page has been told."""

    def __init__(self) -> None:
        # By method, then by session; the last that spoke is the last one in it.
        self._wanted: dict[str, dict[str, Params]] = {}
        self._told: dict[str, Params] = {}

    def says(self, session: str, method: str, params: Params) -> Sent | None:
        """A session sets something: what to send, or None if the page has it already."""
        if method in _CLEARS:
            self._drop(session, _CLEARS[method])
            self._told.pop(_CLEARS[method], None)
            return method, params
        wanted = self._wanted.setdefault(method, {})
        wanted.pop(session, None)
        wanted[session] = params
        value = self._value(method)
        if value == self._told.get(method):
            return None
        self._told[method] = value
        return method, value

    def failed(self, session: str, method: str) -> None:
        """The page refused what a session wanted."""
        self._drop(session, method)
        self._told.pop(method, None)

    def wants(self, session: str, method: str) -> bool:
        """Whether a session has this flag on."""
        params = self._wanted.get(method, {}).get(session)
        return params is not None and params.get(_FLAGS[method]) is True

    def leaves(self, session: str) -> list[Sent]:
        """A session ends: what gives the page back what the others want."""
        sent: list[Sent] = []
        for method in [m for m, wanted in self._wanted.items() if session in wanted]:
            self._drop(session, method)
            if method not in self._told:
                continue
            if self._wanted.get(method):
                value = self._value(method)
                if value != self._told[method]:
                    self._told[method] = value
                    sent.append((method, value))
            else:
                before = self._told.pop(method)
                undo = self._undo(method)
                if undo[1] != before:
                    sent.append(undo)
        return sent

    def replay(self) -> list[Sent]:
        """What a debugger that has just been put on again must be told."""
        return list(self._told.items())

    def _drop(self, session: str, method: str) -> None:
        wanted = self._wanted.get(method, {})
        wanted.pop(session, None)
        if not wanted:
            self._wanted.pop(method, None)

    def _value(self, method: str) -> Params:
        wanted = list(self._wanted[method].values())
        if method in _FLAGS:
            name = _FLAGS[method]
            ours = next((p for p in reversed(wanted) if p.get(name)), wanted[-1])
            return ours
        if method in _UNITED:
            name = _UNITED[method]
            entries = [p.get(name) for p in wanted]
            if all(isinstance(e, dict) for e in entries):
                return {name: {k: v for e in entries for k, v in (e or {}).items()}}
            if all(isinstance(e, list) for e in entries):
                return {name: list(dict.fromkeys(u for e in entries for u in e or ()))}
        return wanted[-1]

    def _undo(self, method: str) -> Sent:
        if method in _FLAGS:
            return method, {_FLAGS[method]: False}
        if method in _UNITED:
            empty: Any = {} if _UNITED[method] == "headers" else []
            return method, {_UNITED[method]: empty}
        return _LAST[method]
