"""The commands that every new session gets before its target runs. Pure.

They are all sent at once: a target that waits for the debugger answers most of them only after
`Runtime.runIfWaitingForDebugger`, which therefore comes last.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pilothouse.cdp.message import Command
from pilothouse.cdp.protocol import FedCm, Fetch, Inspector, Log, Page, Runtime, Target
from pilothouse.supervisor.model import (
    PERMISSION_FUNCTIONS,
    DialogMode,
    bridge_pattern,
    install_commands,
)

__all__ = ["AUTO_ATTACH", "SessionSetup", "fetch_command", "session_commands"]

# Attach to the frames and workers of a page; each waits until it is set up as well.
AUTO_ATTACH = Target.setAutoAttach(autoAttach=True, waitForDebuggerOnStart=True, flatten=True)

RESUME = Runtime.runIfWaitingForDebugger()

# Of a browser's own setup commands, pages get all (sizes and so on), frames only scripts and the
# user agent, workers only the user agent: it must be the same everywhere.
_USER_AGENT_COMMAND = "Emulation.setUserAgentOverride"
_FRAME_COMMANDS = frozenset({"Page.addScriptToEvaluateOnNewDocument", _USER_AGENT_COMMAND})

# Only documents: a login prompt is for pages, and pausing every request would slow all of them.
_AUTH = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}


# A function expression.
_PROMPTS = Path(__file__).with_name("print_and_permission_requests.js").read_text("utf-8")


class SessionSetup(msgspec.Struct, frozen=True):
    """How the sessions of one browser are set up.

    `bridge_url`: the secret URL of the XHR bridge. `binding`: the secret name that
    print_and_permission_requests.js reports through.
    """

    bridge_url: str
    page_mode: DialogMode = "native"
    frame_mode: DialogMode = "xhr"
    page_setup: tuple[Command[Any], ...] = ()
    auth: bool = True
    file_choosers: bool = True
    binding: str = ""

    def commands_for(self, kind: str) -> tuple[Command[Any], ...]:
        """Return the browser's own setup commands for sessions of this kind."""
        match kind:
            case "page":
                return self.page_setup
            case "iframe":
                return tuple(c for c in self.page_setup if c.method in _FRAME_COMMANDS)
        return tuple(c for c in self.page_setup if c.method == _USER_AGENT_COMMAND)

    @property
    def shared_workers(self) -> bool:
        """Whether shared workers, which belong to no page, need setup as well."""
        return bool(self.commands_for("shared_worker"))


def session_commands(
    kind: str,
    setup: SessionSetup,
    added: Sequence[Command[Any]] = (),
    patterns: Sequence[Mapping[str, str]] = (),
) -> list[Command[Any]]:
    """Return all setup commands for a session of this kind, in order; the last one lets it run.
    `added` and `patterns` come from the session hooks and the URL policy of its tab."""
    match kind:
        case "page":
            return [
                *_document_commands(setup, setup.page_mode, patterns),
                FedCm.enable(disableRejectionDelay=True),
                *setup.page_setup,
                *added,
                RESUME,
            ]
        case "iframe":
            return [
                *_document_commands(setup, setup.frame_mode, patterns),
                *setup.commands_for("iframe"),
                *added,
                RESUME,
            ]
    if kind not in WORKERS:
        return [RESUME]
    if kind == "shared_worker":
        # It may serve tabs of several owners, so its console belongs to none of them.
        return [*setup.commands_for(kind), *added, RESUME]
    stopped = fetch_command(kind, setup, patterns) if patterns else ()
    return [Runtime.enable(), Log.enable(), *stopped, *setup.commands_for(kind), *added, RESUME]


def _document_commands(
    setup: SessionSetup, mode: DialogMode, patterns: Sequence[Mapping[str, str]]
) -> list[Command[Any]]:
    """Return the setup commands of every session with documents, before its own."""
    # Only the process that opens a file chooser can intercept it.
    choosers = [Page.setInterceptFileChooserDialog(enabled=True)] if setup.file_choosers else []
    return [
        Page.enable(),
        Inspector.enable(),
        *install_commands(mode, setup.bridge_url),
        *_fetch(setup, mode, patterns),
        Runtime.enable(),
        *_prompts(setup),
        Log.enable(),
        AUTO_ATTACH,
        *choosers,
    ]


WORKERS = frozenset({"worker", "shared_worker", "service_worker"})


def fetch_command(
    kind: str, setup: SessionSetup, patterns: Sequence[Mapping[str, str]]
) -> Sequence[Command[Any]]:
    """Return the command that makes a running session pause these requests and our own, and no
    others. Requests of most workers are paused on the session of their page."""
    match kind:
        case "page" | "iframe":
            mode = setup.page_mode if kind == "page" else setup.frame_mode
            return _fetch(setup, mode, patterns) or [Fetch.disable()]
        case "service_worker":
            ours = list(patterns)
            return [Fetch.enable(patterns=ours)] if ours else [Fetch.disable()]  # type: ignore[arg-type]
    return ()


def _prompts(setup: SessionSetup) -> Sequence[Command[Any]]:
    """Install print_and_permission_requests.js. It reports `print()` and requests for permissions
    that the page lacks, through a binding with a secret name."""
    if not setup.binding:
        return []
    given = f"{json.dumps(setup.binding)}, {json.dumps(PERMISSION_FUNCTIONS)}"
    source = f"(\n{_PROMPTS})({given});\n//# sourceURL=__pilothouse_prompts__\n"
    return [
        Runtime.addBinding(name=setup.binding),
        Page.addScriptToEvaluateOnNewDocument(source=source, runImmediately=True),
    ]


def _fetch(
    setup: SessionSetup, mode: DialogMode, added: Sequence[Mapping[str, str]] = ()
) -> Sequence[Command[Any]]:
    patterns = [*([_AUTH] if setup.auth else []), *added]
    if mode == "xhr":
        patterns = [bridge_pattern(setup.bridge_url), *patterns]
    if not patterns:
        return []
    return [Fetch.enable(patterns=patterns, handleAuthRequests=setup.auth)]  # type: ignore[arg-type]
