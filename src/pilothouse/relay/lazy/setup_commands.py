"""Record the commands that set a session up, and drop those that later ones undo.

    recorded:  Page.enable  Emulation.setX{1}  Log.enable  Emulation.setX{2}  Log.disable
    replayed:  Page.enable  Emulation.setX{2}

Knows: which commands neither read nor act, the params each requires, which of them undo others.
Must not know: ids of contexts, frames or sessions, or the replies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = [
    "ADD_SCRIPT",
    "CREATE_WORLD",
    "REMOVE_SCRIPT",
    "RUN",
    "CommandRecording",
    "RecordedCommand",
    "is_setup_command",
]

Params = Mapping[str, Any]

ADD_SCRIPT = "Page.addScriptToEvaluateOnNewDocument"
REMOVE_SCRIPT = "Page.removeScriptToEvaluateOnNewDocument"
CREATE_WORLD = "Page.createIsolatedWorld"
RUN = "Runtime.runIfWaitingForDebugger"

# Without Debugger: its enable returns data, and clients then wait for its scriptParsed events.
DOMAINS = (
    "Accessibility",
    "Audits",
    "CSS",
    "Console",
    "DOM",
    "Fetch",
    "Inspector",
    "Log",
    "Network",
    "Overlay",
    "Page",
    "Performance",
    "Runtime",
    "Security",
    "ServiceWorker",
    "WebMCP",
)

# Other set-up commands with their required params. A command that lacks one is sent to the browser,
# which refuses it.
SETTERS: Mapping[str, Mapping[str, type]] = {
    "Emulation.clearDeviceMetricsOverride": {},
    "Emulation.clearGeolocationOverride": {},
    "Emulation.setAutomationOverride": {"enabled": bool},
    "Emulation.setDefaultBackgroundColorOverride": {},
    "Emulation.setDeviceMetricsOverride": {"width": int, "height": int, "mobile": bool},
    "Emulation.setEmulatedMedia": {},
    "Emulation.setFocusEmulationEnabled": {"enabled": bool},
    "Emulation.setGeolocationOverride": {},
    "Emulation.setLocaleOverride": {},
    "Emulation.setScriptExecutionDisabled": {"value": bool},
    "Emulation.setTimezoneOverride": {"timezoneId": str},
    "Emulation.setTouchEmulationEnabled": {"enabled": bool},
    "Emulation.setUserAgentOverride": {"userAgent": str},
    "Network.emulateNetworkConditions": {"offline": bool},
    "Network.setBypassServiceWorker": {"bypass": bool},
    "Network.setCacheDisabled": {"cacheDisabled": bool},
    "Network.setExtraHTTPHeaders": {"headers": dict},
    "Network.setUserAgentOverride": {"userAgent": str},
    "Page.getFrameTree": {},
    "Page.setBypassCSP": {"enabled": bool},
    "Page.setFontFamilies": {"fontFamilies": dict},
    "Page.setInterceptFileChooserDialog": {"enabled": bool},
    "Page.setLifecycleEventsEnabled": {"enabled": bool},
    "Page.setPrerenderingAllowed": {"isAllowed": bool},
    "Runtime.addBinding": {"name": str},
    "Runtime.removeBinding": {"name": str},
    "Security.setIgnoreCertificateErrors": {"ignore": bool},
    "Target.setAutoAttach": {"autoAttach": bool, "waitForDebuggerOnStart": bool},
    ADD_SCRIPT: {"source": str},
    REMOVE_SCRIPT: {"identifier": str},
    CREATE_WORLD: {"frameId": str},
    RUN: {},
}
REQUIRED_PARAMS: Mapping[str, Mapping[str, type]] = {
    **{f"{domain}.{verb}": {} for domain in DOMAINS for verb in ("enable", "disable")},
    **SETTERS,
}

# What each command resets, as measured. Scripts outlive Page.disable; bindings do not outlive
# Runtime.disable.
RESET_BY: Mapping[str, tuple[str, ...]] = {
    "Network.disable": (
        "Network.emulateNetworkConditions",
        "Network.setBypassServiceWorker",
        "Network.setCacheDisabled",
        "Network.setExtraHTTPHeaders",
        "Network.setUserAgentOverride",
    ),
    "Page.disable": ("Page.setInterceptFileChooserDialog", "Page.setLifecycleEventsEnabled"),
    "Runtime.disable": ("Runtime.addBinding",),
    "Emulation.clearDeviceMetricsOverride": ("Emulation.setDeviceMetricsOverride",),
    "Emulation.clearGeolocationOverride": ("Emulation.setGeolocationOverride",),
}

# Answered but not replayed: they have no effect that a later session needs.
UNRECORDED = frozenset({"Page.getFrameTree", CREATE_WORLD})


def is_setup_command(method: str, params: Params) -> bool:
    """Return whether a command only sets a session up, so that it can wait for the debugger."""
    required = REQUIRED_PARAMS.get(method)
    if required is None:
        return False
    if method == "Runtime.addBinding" and "executionContextId" in params:
        # It acts on one existing context, so it needs the debugger now.
        return False
    return all(type(params.get(name)) is kind for name, kind in required.items())


@dataclass(frozen=True, slots=True)
class RecordedCommand:
    """One command to replay. `placeholder` is the made-up identifier of a script."""

    method: str
    params: Params
    placeholder: str = ""


class CommandRecording:
    """The commands of one session that are still in force, in order."""

    def __init__(self) -> None:
        self._commands: dict[tuple[str, ...], RecordedCommand] = {}
        self._scripts = 0

    def commands(self) -> list[RecordedCommand]:
        """Return the commands to replay, in order."""
        return list(self._commands.values())

    def has(self, method: str) -> bool:
        """Return whether a command of this name is in force."""
        return any(kept.method == method for kept in self._commands.values())

    def scripts(self) -> list[RecordedCommand]:
        """Return the scripts for new documents, in order."""
        return [kept for kept in self._commands.values() if kept.method == ADD_SCRIPT]

    def add(self, method: str, params: Params) -> None:
        """Record a command, or remove what it undoes."""
        if method in UNRECORDED:
            return
        domain, _, verb = method.partition(".")
        gone = RESET_BY.get(method, ())
        if verb == "disable":
            gone = (*gone, f"{domain}.enable")
        if gone or verb == "disable":
            self._commands = {
                k: kept for k, kept in self._commands.items() if kept.method not in gone
            }
            return
        if method == "Runtime.removeBinding":
            name = params["name"]
            self._commands = {
                k: kept
                for k, kept in self._commands.items()
                if kept.method != "Runtime.addBinding" or kept.params["name"] != name
            }
            return
        key: tuple[str, ...] = (method,)
        if method == "Runtime.addBinding":
            key = (method, params["name"], str(params.get("executionContextName", "")))
        if verb != "enable":
            # The last one counts, at its own place in the order.
            self._commands.pop(key, None)
        self._commands[key] = RecordedCommand(method, dict(params))

    def add_script(self, params: Params) -> str:
        """Record a script for new documents and return a placeholder identifier.

        Chrome counts a session's scripts from 1, so it mostly returns the same.
        """
        self._scripts += 1
        placeholder = str(self._scripts)
        self._commands[(ADD_SCRIPT, placeholder)] = RecordedCommand(
            ADD_SCRIPT, dict(params), placeholder
        )
        return placeholder

    def remove_script(self, placeholder: str) -> bool:
        """Remove a script. Returns False if there is none."""
        return self._commands.pop((ADD_SCRIPT, placeholder), None) is not None
