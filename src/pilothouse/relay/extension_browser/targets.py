"""Which tabs the user's Chrome shares, and who is told of them as targets. Pure.

Knows: tabs as the extension lists them, and discovery. Must not know: debuggers or sessions' work.
Tabs are targets without being attached: their real target ids are told by the extension.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.relay.extension_browser.restrictions import site_of
from pilothouse.relay.extension_browser.types import Tab, admits, encode, event_frame

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import Core

__all__ = ["KEPT", "Tabs", "Targets"]

Info = Mapping[str, Any]

# In what is told of a tab that agents may not close. Clients are not told it.
KEPT = "keptByUser"


class Targets:
    """Tells of targets whoever discovers them."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def browser(self) -> dict[str, Any]:
        """The browser itself."""
        return {
            "targetId": self._core.browser_target,
            "type": "browser",
            "title": "",
            "url": "",
            "attached": True,
            "canAccessOpener": False,
        }

    def page(self, tab: Tab) -> dict[str, Any]:
        """A tab."""
        core = self._core
        info: dict[str, Any] = {
            "targetId": tab.target_id,
            "type": "page",
            "title": tab.title,
            "url": tab.url,
            "attached": core.in_use(tab),
            "canAccessOpener": tab.reaches_opener,
            "browserContextId": core.context,
            **({} if tab.closable else {KEPT: True}),
        }
        above = core.tabs.by_id.get(tab.opener) if tab.opener is not None else None
        if tab.opened_by:
            return {**info, "openerId": tab.opened_by}
        if above is None:
            return info
        # A link that was opened in a tab of its own has no opener, but somebody whose it is.
        return {**info, "openerId" if tab.opened_by is None else "openedBy": above.target_id}

    def all(self) -> Iterator[dict[str, Any]]:
        """Everything there is."""
        yield self.browser()
        for tab in self._core.tabs.by_id.values():
            if tab.target_id and not tab.hidden:
                yield self.page(tab)
        for strand in self._core.strands.values():
            if strand.child:
                yield strand.info

    def find(self, target: str) -> dict[str, Any] | None:
        """One of them."""
        tab = self._core.tabs.by_target(target)
        if tab is not None:
            return self.page(tab)
        return next((info for info in self.all() if info["targetId"] == target), None)

    def created(self, info: Info) -> None:
        """A target came."""
        self._announce("Target.targetCreated", str(info.get("type", "")), {"targetInfo": info})

    def changed(self, info: Info) -> None:
        """A target is told of anew."""
        self._announce("Target.targetInfoChanged", str(info.get("type", "")), {"targetInfo": info})

    def destroyed(self, info: Info) -> None:
        """A target went."""
        gone = {"targetId": info.get("targetId", "")}
        self._announce("Target.targetDestroyed", str(info.get("type", "")), gone)

    def _announce(self, method: str, kind: str, params: Info) -> None:
        hearers = [
            session.id
            for session in self._core.sessions.values()
            if session.discover is not None and admits(session.discover, kind)
        ]
        raw = encode(params) if hearers else b""
        for hearer in hearers:
            self._core.emit(event_frame(method, raw, hearer))


class Tabs:
    """The shared tabs."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.by_id: dict[int, Tab] = {}

    def by_target(self, target: str) -> Tab | None:
        """The tab of a target id, also of one that it had before."""
        for tab in self.by_id.values():
            if target and (tab.target_id == target or target in tab.aliases):
                return tab
        return None

    def listed(self, told: list[Tab]) -> None:
        """The whole list: what is new, what changed and what went follows from it."""
        seen = {tab.tab_id: tab for tab in told}
        for tab in [t for t in self.by_id.values() if not self._same(t, seen.get(t.tab_id))]:
            self.removed(tab.tab_id)
        for tab in seen.values():
            self._take(tab)

    def _same(self, known: Tab, seen: Tab | None) -> bool:
        """A tab whose main frame is another one is another target."""
        if seen is None:
            return False
        return not seen.target_id or seen.target_id in {known.target_id, *known.aliases}

    def created(self, seen: Tab) -> Tab:
        """A tab came, or is told of again."""
        return self._take(seen)

    def _take(self, seen: Tab) -> Tab:
        known = self.by_id.get(seen.tab_id)
        if known is None:
            self.by_id[seen.tab_id] = seen
            if seen.target_id:
                self._announce(seen)
            return seen
        known.attached = seen.attached
        self._change(
            known,
            {
                "url": seen.url,
                "title": seen.title,
                "windowId": seen.window_id,
                "active": seen.active,
                "discarded": seen.discarded,
                "targetId": seen.target_id,
                "by": seen.by,
                "closable": seen.closable,
            },
        )
        return known

    def _announce(self, tab: Tab) -> None:
        tab.locked_to = site_of(tab.url)
        self._core.popups.came(tab)

    def updated(self, told: Mapping[str, Any]) -> None:
        """A tab has another address, title or place."""
        tab = self.by_id.get(int(told.get("tabId", -1)))
        if tab is not None:
            self._change(tab, told)

    def _change(self, tab: Tab, told: Mapping[str, Any]) -> None:
        before = (tab.url, tab.title, tab.target_id, tab.closable)
        url, title, target = told.get("url"), told.get("title"), told.get("targetId")
        tab.url = url if isinstance(url, str) else tab.url
        tab.title = title if isinstance(title, str) else tab.title
        if isinstance(told.get("windowId"), int):
            tab.window_id = told["windowId"]
        tab.active = told.get("active", tab.active) is True
        tab.discarded = told.get("discarded", tab.discarded) is True
        if "by" in told:
            tab.by = str(told["by"] or "")
        tab.closable = told.get("closable", tab.closable) is not False
        if not tab.locked_to or not self._core.settings.get("lockUrl"):
            tab.locked_to = site_of(tab.url)
        if isinstance(target, str) and target and target not in {tab.target_id, *tab.aliases}:
            self.renamed(tab, target)
        elif (
            before != (tab.url, tab.title, tab.target_id, tab.closable)
            and tab.target_id
            and not tab.hidden
        ):
            self._core.targets.changed(self._core.targets.page(tab))

    def renamed(self, tab: Tab, target: str) -> None:
        """A tab's main frame is another one than was thought. While somebody is on it, it keeps
        the name that they know."""
        if not tab.target_id:
            tab.target_id = target
            self._announce(tab)
        elif self._core.in_use(tab):
            tab.aliases.add(target)
        else:
            self._core.targets.destroyed(self._core.targets.page(tab))
            tab.aliases.add(tab.target_id)
            tab.target_id = target
            tab.aliases.discard(target)
            self._core.targets.created(self._core.targets.page(tab))

    def framed(self, tab: Tab, frame: str) -> None:
        """A tab's main frame has another name than the tab, whose name clients have heard: here
        the frame has the tab's name from now on."""
        if not tab.target_id:
            self.renamed(tab, frame)
            return
        self._core.frame_names.pop(tab.frame_id.encode(), None)
        tab.frame_id = frame
        self._core.frame_names[frame.encode()] = tab.target_id.encode()

    def navigated(self, tab: Tab, url: str) -> None:
        """The debugger says where a tab is; that is told before the extension's tab events."""
        if url != tab.url:
            self._change(tab, {"url": url})

    def removed(self, tab_id: int) -> None:
        """A tab went."""
        tab = self.by_id.get(tab_id)
        if tab is None:
            return
        self._core.attachments.ended(tab)
        self._core.frame_names.pop(tab.frame_id.encode(), None)
        del self.by_id[tab_id]
        if not tab.target_id:
            self._core.popups.glimpsed(tab)
        elif not self._core.popups.outlives(tab):
            self._core.targets.destroyed(self._core.targets.page(tab))

    def renumbered(self, tab_id: int, new_id: int) -> None:
        """Chrome gave a tab another number; whether it is the same page is listed then."""
        tab = self.by_id.get(tab_id)
        if tab is None:
            return
        if self._core.attachments.holds(tab):
            self.removed(tab_id)
            return
        del self.by_id[tab_id]
        tab.tab_id = new_id
        self.by_id[new_id] = tab
