"""What several sessions have set on one target: overrides, enabled domains, screencast. Pure.

Knows: which command sets what, how the settings of several sessions combine, and what undoes them.
Must not know: the socket. It returns which commands to send.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

__all__ = ["ALWAYS_ON", "EnabledDomains", "Screencast", "SharedOverrides", "is_override"]

Params = Mapping[str, Any]
CdpCommand = tuple[str, Params]

# Flags that are on while any session has them on, as in Chrome.
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

# The last session to set these wins. The value is the command that undoes it: another command, or
# the same one with other params.
_LAST_WINS: dict[str, CdpCommand] = {
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

# The entries of all sessions are merged.
_MERGED = {"Network.setBlockedURLs": "urls", "Network.setExtraHTTPHeaders": "headers"}

_CLEAR_COMMANDS = {undo: method for method, (undo, _) in _LAST_WINS.items() if undo != method}


def is_override(method: str) -> bool:
    """Return whether a command sets something that stays set."""
    return (
        method in _FLAGS or method in _LAST_WINS or method in _MERGED or method in _CLEAR_COMMANDS
    )


class SharedOverrides:
    """The overrides of all sessions of one target, and what Chrome has been sent."""

    def __init__(self) -> None:
        # By method, then by session; the session that set it last is the last entry.
        self._wanted: dict[str, dict[str, Params]] = {}
        self._sent: dict[str, Params] = {}

    def set(self, session: str, method: str, params: Params) -> CdpCommand | None:
        """Set something for a session. Returns the command to send; None if Chrome has it
        already."""
        if method in _CLEAR_COMMANDS:
            self._drop(session, _CLEAR_COMMANDS[method])
            self._sent.pop(_CLEAR_COMMANDS[method], None)
            return method, params
        wanted = self._wanted.setdefault(method, {})
        wanted.pop(session, None)
        wanted[session] = params
        value = self._value(method)
        if value == self._sent.get(method):
            return None
        self._sent[method] = value
        return method, value

    def reject(self, session: str, method: str) -> None:
        """Forget what a session wanted to set, because Chrome refused it."""
        self._drop(session, method)
        self._sent.pop(method, None)

    def has_flag(self, session: str, method: str) -> bool:
        """Return whether a session has this flag on."""
        params = self._wanted.get(method, {}).get(session)
        return params is not None and params.get(_FLAGS[method]) is True

    def remove_session(self, session: str) -> list[CdpCommand]:
        """Remove a session that ended. Returns the commands that restore the others' values."""
        sent: list[CdpCommand] = []
        for method in [m for m, wanted in self._wanted.items() if session in wanted]:
            self._drop(session, method)
            if method not in self._sent:
                continue
            if self._wanted.get(method):
                value = self._value(method)
                if value != self._sent[method]:
                    self._sent[method] = value
                    sent.append((method, value))
            else:
                before = self._sent.pop(method)
                undo = self._undo(method)
                if undo[1] != before:
                    sent.append(undo)
        return sent

    def replay(self) -> list[CdpCommand]:
        """Return the commands for a newly attached debugger."""
        return list(self._sent.items())

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
        if method in _MERGED:
            name = _MERGED[method]
            entries = [p.get(name) for p in wanted]
            if all(isinstance(e, dict) for e in entries):
                return {name: {k: v for e in entries for k, v in (e or {}).items()}}
            if all(isinstance(e, list) for e in entries):
                return {name: list(dict.fromkeys(u for e in entries for u in e or ()))}
        return wanted[-1]

    def _undo(self, method: str) -> CdpCommand:
        if method in _FLAGS:
            return method, {_FLAGS[method]: False}
        if method in _MERGED:
            empty: Any = {} if _MERGED[method] == "headers" else []
            return method, {_MERGED[method]: empty}
        return _LAST_WINS[method]


# Domains without `enable`: every session of the target gets their events.
ALWAYS_ON = frozenset({"Emulation", "Input", "Inspector", "Storage", "Target", "Tracing"})


class EnabledDomains:
    """The enabled domains of one page, frame or worker."""

    def __init__(self) -> None:
        self._wanted: dict[str, dict[str, Params]] = {}
        self._sent: dict[str, Params] = {}

    def enable(self, session: str, domain: str, params: Params) -> Params | None:
        """Enable a domain for a session. Returns the params to send; None if Chrome has them
        already."""
        wanted = self._wanted.setdefault(domain, {})
        wanted[session] = params
        merged = _merge_params(list(wanted.values()))
        if self._sent.get(domain) == merged:
            return None
        self._sent[domain] = merged
        return merged

    def forget(self, domain: str) -> None:
        """Forget a domain that the target does not have."""
        self._wanted.pop(domain, None)
        self._sent.pop(domain, None)

    def disable(self, session: str, domain: str) -> bool:
        """Disable a domain for a session. Returns whether Chrome must disable it."""
        wanted = self._wanted.get(domain)
        if wanted is None:
            return True  # not enabled: Chrome itself replies
        wanted.pop(session, None)
        if wanted:
            return False
        self.forget(domain)
        return True

    def listeners(self, domain: str) -> Collection[str]:
        """Return the sessions that have a domain enabled."""
        return self._wanted.get(domain, ())

    def remove_session(self, session: str) -> list[str]:
        """Remove a session that ended. Returns the domains that no session needs any more."""
        mine = [domain for domain, wanted in self._wanted.items() if session in wanted]
        return [domain for domain in mine if self.disable(session, domain)]

    def replay(self) -> list[tuple[str, Params]]:
        """Return the commands for a newly attached debugger."""
        return [(f"{domain}.enable", params) for domain, params in self._sent.items()]


def _merge_params(wanted: Sequence[Params]) -> Params:
    """Merge `enable` params so that they serve all sessions: the larger number, or no limit if one
    session has none."""
    if len(wanted) == 1:
        return wanted[0]
    merged: dict[str, Any] = {}
    for name in {name: None for params in wanted for name in params}:
        given = [params[name] for params in wanted if name in params]
        if all(isinstance(value, bool) for value in given):
            merged[name] = any(given)
        elif all(isinstance(value, int | float) for value in given):
            if len(given) == len(wanted) or _wants_durable_bodies(wanted):
                merged[name] = max(given)
        else:
            merged[name] = given[-1]
    return merged


def _wants_durable_bodies(wanted: Sequence[Params]) -> bool:
    """Return whether a session keeps response bodies after navigation. Chrome requires a limit for
    that, so the merged params need one."""
    return any(params.get("enableDurableMessages") for params in wanted)


class Screencast:
    """The sessions that watch one page. Chrome sends the next frame when the last was acknowledged,
    so it is acknowledged when the slowest session has done so."""

    def __init__(self) -> None:
        self._frames_taken: dict[str, int] = {}
        self._acknowledged = 0

    def start(self, session: str) -> None:
        """Start watching."""
        self._frames_taken[session] = self._acknowledged

    def stop(self, session: str) -> bool:
        """Stop watching. Returns whether it was the last session."""
        return self._frames_taken.pop(session, None) is not None and not self._frames_taken

    def acknowledge(self, session: str) -> bool:
        """Count a session's acknowledgement. Returns whether Chrome must get one."""
        if session in self._frames_taken:
            self._frames_taken[session] += 1
        slowest = min(self._frames_taken.values(), default=0)
        if slowest <= self._acknowledged:
            return False
        self._acknowledged = slowest
        return True

    def watchers(self) -> list[str]:
        """Return the sessions that get the next frame."""
        return list(self._frames_taken)
