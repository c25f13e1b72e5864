"""Who opened a tab of the user's Chrome: what pages open is theirs, and nothing else is. Pure.

Knows: that the extension's word for it is no proof (Chrome names the tab that was in front), that
the debugger's is, and that a popup may be gone before anybody could look. Must not know: sessions'
work. A tab that a page under debugging may have opened is told of once its debugger said by whom.

    Page.windowOpen -> tabCreated -> attachTab, its openerId -> told with the right opener
                    -> tabGlimpsed, or gone meanwhile        -> told as one that came and went
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.client_session import Session, new_id
from pilothouse.relay.extension_browser.types import Tab, Wrong, encode, event_frame

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import Core
    from pilothouse.relay.extension_browser.debuggee import Strand

__all__ = ["ACTS", "Popups", "window_open"]

# What a page said that it would open comes within this time, or was not let.
OPENS_WITHIN_S = 3.0
# Clients come for a target as soon as they hear of it.
GHOST_S = 0.5
# A person's doings, after which a tab in front of which they happened may open another.
ACTS = ("Input.dispatchMouseEvent", "Input.dispatchKeyEvent", "Input.dispatchTouchEvent")
_REFUSED = "Pilothouse refuses "
_GONE = ("No tab with ", "No target with ")


class Popups:
    """What pages of one install open."""

    def __init__(self, core: Core) -> None:
        self._core = core
        # Pages that said that they open a window, the first one first.
        self._opening: list[Tab] = []
        # Tabs in which somebody acted, and which have opened nothing since.
        self._acted: set[int] = set()
        # Targets that came and went, as they are told of.
        self._ghosts: dict[str, dict[str, Any]] = {}
        # Popups that were told of so lately that clients may still be on their way to them.
        self._fresh: set[str] = set()

    # What pages do.

    def opens(self, tab: Tab) -> None:
        """A page is about to open a window."""
        self._opening.append(tab)
        self._core.port.after("opening", OPENS_WITHIN_S, self._opening.clear)

    def acted(self, tab: Tab) -> None:
        """Somebody acts in a page as a person would."""
        self._acted.add(tab.tab_id)

    # What comes of it.

    def came(self, tab: Tab) -> None:
        """A tab is there: it is told of as soon as it is known whose it is."""
        core = self._core
        above = core.tabs.by_id.get(tab.opener) if tab.opener is not None else None
        if above is None and not self._opening:
            self._tell(tab)
            return
        if not self._opening and (above is None or not core.in_use(above)):
            self._tell(tab)
            return
        tab.hidden = True
        core.attachments.attach(tab, lambda wrong: self._known(tab, wrong))

    def _known(self, tab: Tab, wrong: Wrong | None) -> None:
        tab.hidden = False
        by = self._opening.pop(0) if self._opening else None
        lost = wrong is not None and not wrong.message.startswith(_REFUSED)
        if by is not None and lost:
            self._haunt(tab, by)
        elif self._lives(tab):
            self._tell(tab)

    def _lives(self, tab: Tab) -> bool:
        return self._core.tabs.by_id.get(tab.tab_id) is tab

    def described(self, tab: Tab, info: Mapping[str, Any]) -> None:
        """The debugger says who opened a tab."""
        opener = self._core.tabs.by_target(str(info.get("openerId") or ""))
        tab.opened_by = opener.target_id if opener is not None else ""
        tab.reaches_opener = info.get("canAccessOpener") is True
        if tab.opener is not None and not tab.opened_by and tab.opener not in self._acted:
            tab.opener = None  # the user opened it, while that tab was in front
        self._acted.discard(tab.opener or -1)

    def _tell(self, tab: Tab) -> None:
        if tab.opened_by:
            target = tab.target_id
            self._fresh.add(target)
            self._core.port.after(f"fresh {target}", GHOST_S, lambda: self._fresh.discard(target))
        self._core.targets.created(self._core.targets.page(tab))
        self._core.appeared(tab)

    # What came and went.

    def glimpsed(self, tab: Tab) -> None:
        """There was a tab that was gone before anybody knew its target."""
        if self._opening and not tab.target_id:
            tab.target_id = new_id()
            self._haunt(tab, self._opening.pop(0))

    def _haunt(self, tab: Tab, by: Tab) -> None:
        """Tell of a popup that is gone: whoever comes for it is told that it was."""
        tab.opened_by = by.target_id
        self._core.targets.created(self._core.targets.page(tab))
        self._remember(tab)

    def _remember(self, tab: Tab) -> None:
        core, target = self._core, tab.target_id
        info = self._ghosts[target] = core.targets.page(tab)

        def laid() -> None:
            if self._ghosts.pop(target, None) is not None:
                core.targets.destroyed(info)
            if self._lives(tab):
                # It could not be held then; it may be only that it is slow to go.
                tab.opened_by = None
                core.attachments.attach(tab, again)

        def again(wrong: Wrong | None) -> None:
            if wrong is None and self._lives(tab):
                self._tell(tab)

        core.port.after(f"ghost {target}", GHOST_S, laid)

    def outlives(self, tab: Tab) -> bool:
        """Whether a tab that is gone is not told to be so yet."""
        if tab.target_id in self._fresh:
            self._fresh.discard(tab.target_id)
            self._remember(tab)
        return tab.target_id in self._ghosts

    def late(self, session: Session, number: int, tab: Tab, wrong: Wrong) -> bool:
        """The same for a popup that went while the debugger was being put on it."""
        if not (tab.opened_by or tab.opener is not None) or not wrong.message.startswith(_GONE):
            return False
        if tab.target_id not in self._ghosts:
            self._remember(tab)
        return self.attached(session, number, tab.target_id)

    def attached(self, session: Session, number: int, target: str) -> bool:
        """Whether a session that comes for a target has come too late, and was told so."""
        info = self._ghosts.get(target)
        if info is None:
            return False
        core, name = self._core, new_id()
        told = {
            "sessionId": name,
            "targetInfo": {**info, "attached": True},
            "waitingForDebugger": False,
        }
        core.emit(event_frame("Target.attachedToTarget", encode(told), session.id))
        core.reply(session.id, number, encode({"sessionId": name}))
        gone = {"sessionId": name, "targetId": target}
        core.emit(event_frame("Target.detachedFromTarget", encode(gone), session.id))
        return True


def window_open(strand: Strand, method: str, raw: msgspec.Raw) -> None:
    """A page, or a frame in it, says that it opens a window."""
    core = strand.core
    core.popups.opens(strand.tab)
    for session in tuple(strand.domains.hears("Page")):
        core.emit(event_frame(method, raw, session))
