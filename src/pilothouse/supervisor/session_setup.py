"""What every fresh session is sent before its target runs: pure lists of commands.

All of it is pipelined: a target that waits for the debugger answers most of it only after
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
from pilothouse.supervisor.model import ASKED_BY, Mode, install_commands, pattern

__all__ = ["AUTO_ATTACH", "Setup", "fetch_command", "session_commands"]

# Frames and workers of a page; they wait until they are instrumented in turn.
AUTO_ATTACH = Target.setAutoAttach(autoAttach=True, waitForDebuggerOnStart=True, flatten=True)

RUN = Runtime.runIfWaitingForDebugger()

# Of a browser's own commands: sizes and the like are the page's, scripts are for every document,
# and who the browser says it is must be the same for everybody.
_IDENTITY = "Emulation.setUserAgentOverride"
_FOR_FRAMES = frozenset({"Page.addScriptToEvaluateOnNewDocument", _IDENTITY})

# Only documents: a password box is for pages, and stopping every request would cost all of them.
_AUTH = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}


_PROMPTS = (
    Path(__file__)
    .with_name("prompts.js")
    .read_text("utf-8")
    .replace("__ASKED_BY__", json.dumps(ASKED_BY))
)


class Setup(msgspec.Struct, frozen=True):
    """How sessions of one browser are instrumented."""

    host: str
    page_mode: Mode = "native"
    frame_mode: Mode = "xhr"
    page_setup: tuple[Command[Any], ...] = ()
    auth: bool = True
    choosers: bool = True
    binding: str = ""

    def usual(self, kind: str) -> tuple[Command[Any], ...]:
        """Those commands of the browser's that are for sessions of this kind."""
        match kind:
            case "page":
                return self.page_setup
            case "iframe":
                return tuple(c for c in self.page_setup if c.method in _FOR_FRAMES)
        return tuple(c for c in self.page_setup if c.method == _IDENTITY)

    @property
    def shared_workers(self) -> bool:
        """Whether workers that belong to no page must be reached as well."""
        return bool(self.usual("shared_worker"))


def session_commands(
    kind: str,
    setup: Setup,
    added: Sequence[Command[Any]] = (),
    patterns: Sequence[Mapping[str, str]] = (),
) -> list[Command[Any]]:
    """Everything for a session of this kind, in order; the last one lets it run. `added` and
    `patterns` are what its tab wants beside."""
    match kind:
        case "page":
            return [
                Page.enable(),
                Inspector.enable(),
                *install_commands(setup.page_mode, setup.host),
                *_fetch(setup, setup.page_mode, patterns),
                Runtime.enable(),
                *_prompts(setup),
                Log.enable(),
                AUTO_ATTACH,
                *([Page.setInterceptFileChooserDialog(enabled=True)] if setup.choosers else []),
                FedCm.enable(disableRejectionDelay=True),
                *setup.page_setup,
                *added,
                RUN,
            ]
        case "iframe":
            return [
                Page.enable(),
                Inspector.enable(),
                *install_commands(setup.frame_mode, setup.host),
                *_fetch(setup, setup.frame_mode, patterns),
                Runtime.enable(),
                *_prompts(setup),
                Log.enable(),
                AUTO_ATTACH,
                # Choosers are caught only by the process that opens them.
                *([Page.setInterceptFileChooserDialog(enabled=True)] if setup.choosers else []),
                *setup.usual("iframe"),
                *added,
                RUN,
            ]
    if kind not in WORKERS:
        return [RUN]
    if kind == "shared_worker":
        # It may serve tabs of several owners: what it says is nobody's.
        return [*setup.usual(kind), *added, RUN]
    stopped = fetch_command(kind, setup, patterns) if patterns else ()
    return [Runtime.enable(), Log.enable(), *stopped, *setup.usual(kind), *added, RUN]


WORKERS = frozenset({"worker", "shared_worker", "service_worker"})


def fetch_command(
    kind: str, setup: Setup, patterns: Sequence[Mapping[str, str]]
) -> Sequence[Command[Any]]:
    """What makes a living session stop these requests beside our own, and no others. Requests of
    most workers are stopped on the session of their page."""
    match kind:
        case "page" | "iframe":
            mode = setup.page_mode if kind == "page" else setup.frame_mode
            return _fetch(setup, mode, patterns) or [Fetch.disable()]
        case "service_worker":
            ours = list(patterns)
            return [Fetch.enable(patterns=ours)] if ours else [Fetch.disable()]  # type: ignore[arg-type]
    return ()


def _prompts(setup: Setup) -> Sequence[Command[Any]]:
    """Report `print()`, and permissions that a page asks for and does not have, through a binding
    whose name nobody else knows."""
    if not setup.binding:
        return []
    source = _PROMPTS.replace("__NAME__", setup.binding)
    return [
        Runtime.addBinding(name=setup.binding),
        Page.addScriptToEvaluateOnNewDocument(source=source, runImmediately=True),
    ]


def _fetch(
    setup: Setup, mode: Mode, added: Sequence[Mapping[str, str]] = ()
) -> Sequence[Command[Any]]:
    patterns = [*([_AUTH] if setup.auth else []), *added]
    if mode == "xhr":
        patterns = [pattern(setup.host), *patterns]
    if not patterns:
        return []
    return [Fetch.enable(patterns=patterns, handleAuthRequests=setup.auth)]  # type: ignore[arg-type]
