"""What a viewer may read of one tab, and a person's answers to what waits in it.

Knows: pages and supervisors. Must not know: HTTP. A picture is taken when somebody looks, at most
once in PICTURE_EVERY_S for all viewers together, and never while a person has the tab.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from pilothouse.errors import TabNotFound, ToolError, UsageError
from pilothouse.page.media import Screenshot
from pilothouse.page.network import build_har
from pilothouse.supervisor import agent_view as view
from pilothouse.supervisor.model import INTERRUPT_KINDS
from pilothouse.tabs.tabs import OwnedTab

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon
    from pilothouse.daemon.web.event_publisher import EventPublisher

__all__ = ["TabDetails"]

PICTURE_EVERY_S = 2.0
PICTURE_WITHIN_S = 5.0
TITLE_WITHIN_S = 1.0
PICTURE_WIDTH = 480
QUALITY = 60
LINES = 200
REQUESTS = 200


class TabDetails:
    """Reads tabs for all viewers of a daemon."""

    def __init__(self, daemon: Daemon, publisher: EventPublisher) -> None:
        self._daemon = daemon
        self._publisher = publisher
        self._pictures: dict[str, tuple[float, Screenshot]] = {}
        self._one_at_a_time = asyncio.Lock()

    def _tab(self, key: str) -> OwnedTab:
        tab = self._publisher.find_tab(key)
        if tab is None or not tab.alive:
            raise TabNotFound("the tab is gone", hint="choose another tab")
        return tab

    async def thumbnail(self, key: str) -> Screenshot | None:
        """Return a small picture of a tab; None while it shows nothing that may be pictured."""
        tab = self._tab(key)
        now = asyncio.get_running_loop().time()
        self._forget_closed()
        # Chrome reports changes of a title late; whoever looks at the picture reads the title, too.
        await tab.supervisor.refresh(tab.tab_id, TITLE_WITHIN_S)
        if not _may_be_pictured(tab):
            self._pictures.pop(key, None)
            return None
        # One after the other: a wall of tabs must not take the browsers' time.
        async with self._one_at_a_time:
            before = self._pictures.get(key)
            if before is not None and now - before[0] < PICTURE_EVERY_S:
                return before[1]
            if not tab.alive or not _may_be_pictured(tab):
                return None  # it has changed while others had their turn
            taken = await self._take(tab)
            if taken is None or not _may_be_pictured(tab):
                return None
            self._pictures[key] = asyncio.get_running_loop().time(), taken
            return taken

    async def _take(self, tab: OwnedTab) -> Screenshot | None:
        known = self._daemon.settings.browser.viewport_width
        scale = min(1.0, PICTURE_WIDTH / max(known, 1))
        async with asyncio.timeout(PICTURE_WITHIN_S):
            outcome = await tab.page.screenshot(format="jpeg", quality=QUALITY, scale=scale)
        return outcome.value

    def _forget_closed(self) -> None:
        if len(self._pictures) > len(self._publisher.view.tabs):
            kept = self._publisher.view.tabs
            self._pictures = {key: one for key, one in self._pictures.items() if key in kept}

    async def frames(self, key: str) -> Any:
        """Return the frame tree of a tab."""
        tab = self._tab(key)
        return view.frame_tree(tab.supervisor.state, tab.tab_id)

    async def console(self, key: str) -> Any:
        """Return the last console lines of a tab."""
        return self._tab(key).page.console.entries(None, "debug", LINES)

    async def network(self, key: str) -> Any:
        """Return the last requests of a tab, without headers."""
        log = self._tab(key).page.network
        found = log.entries()
        shown = [entry.as_dict() for entry in found[-REQUESTS:]]
        return {"requests": shown, "total": len(found), "dropped": log.dropped}

    async def har(self, key: str) -> Any:
        """Return the network log of a tab in HAR format."""
        tab = self._tab(key)
        # Redact first: HAR splits queries into parts, and part of a secret is not recognized.
        redact = self._daemon.redactor.redact_text
        entries = tab.page.network.entries()
        return build_har([replace(entry, url=redact(entry.url)) for entry in entries])

    async def answer(
        self, key: str, action: str, text: str | None, detail: Mapping[str, str]
    ) -> dict[str, Any]:
        """Answer a dialog or another interrupt as a person. Raises ToolError."""
        tab, inner = self._find_interrupt(key)
        supervisor = tab.supervisor
        if inner in supervisor.state.dialogs:
            if action not in ("accept", "dismiss"):
                raise ToolError(f"action: unknown value {action!r}", hint="accept or dismiss it")
            accept = action == "accept"
            result = await supervisor.answer(accept=accept, text=text, dialog_id=inner, by="human")
            self._note(tab, inner, action)
            return {
                "closed_by": result.closed.closed_by,
                "already_closed": result.already_closed,
            }
        if action in ("upload", "grant"):
            raise ToolError(
                f"action: {action} is not offered here", hint="answer it in the browser's window"
            )
        if INTERRUPT_KINDS[supervisor.state.interrupts[inner].kind].person:
            if action == "answer" and not (text or "").strip():
                raise UsageError("text: missing", hint="write the answer that the agent gets")
            supervisor.answer_as_person(inner, action, text or "")
        else:
            supervisor.answer_interrupt(inner, action, **detail)
        self._note(tab, inner, action)
        return {"closed_by": "human", "already_closed": False}

    def _note(self, tab: OwnedTab, inner: str, action: str) -> None:
        """Record in the owner's journal that a person answered, not an agent."""
        words = f"a person answered {inner} in the dashboard: {action}"
        self._daemon.journals.note(tab.owner, "human", words)

    def _find_interrupt(self, key: str) -> tuple[OwnedTab, str]:
        number, _, inner = key.partition(".")
        for tab in self._daemon.tabs.all():
            supervisor = tab.supervisor
            state = supervisor.state
            one = state.dialogs.get(inner) or state.interrupts.get(inner)
            if one is None or one.tab != tab.tab_id:
                continue
            if str(self._daemon.journals.browser_number(supervisor)) == number:
                return tab, inner
        raise ToolError("it has been answered already", hint="the page goes on")


def _may_be_pictured(tab: OwnedTab) -> bool:
    """Return whether a tab can be and may be pictured: nothing blocks it, and no person has it."""
    state = tab.supervisor.state
    blocked = any(dialog.tab == tab.tab_id for dialog in state.dialogs.values())
    stopped = any(
        one.tab == tab.tab_id and one.kind in ("human", "hung", "crashed")
        for one in state.interrupts.values()
    )
    return not blocked and not stopped
