"""The tabs that the user shares, and their announcement as CDP targets. Pure.

Knows: tabs as the extension lists them, and discovery. Must not know: debuggers, or what sessions
do. A tab is a target without being attached: the extension reports its real target id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.relay.extension_browser.agent_restrictions import site_of
from pilothouse.relay.extension_browser.tab_and_message_types import (
    SharedTab,
    encode,
    event_message,
)
from pilothouse.relay.target_command_params import filter_admits

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser

__all__ = ["KEPT_BY_USER", "SharedTabs", "TargetAnnouncer"]

Info = Mapping[str, Any]

# Key in the target info of a tab that agents may not close. The hub removes it for clients.
KEPT_BY_USER = "keptByUser"


class TargetAnnouncer:
    """Announces targets to the sessions that discover them."""

    def __init__(self, browser: ExtensionBrowser) -> None:
        self._browser = browser

    def browser(self) -> dict[str, Any]:
        """Return the target info of the browser itself."""
        return {
            "targetId": self._browser.browser_target,
            "type": "browser",
            "title": "",
            "url": "",
            "attached": True,
            "canAccessOpener": False,
        }

    def page(self, tab: SharedTab) -> dict[str, Any]:
        """Return the target info of a tab."""
        browser = self._browser
        info: dict[str, Any] = {
            "targetId": tab.target_id,
            "type": "page",
            "title": tab.title,
            "url": tab.url,
            "attached": browser.is_in_use(tab),
            "canAccessOpener": tab.can_access_opener,
            "browserContextId": browser.context,
            **({} if tab.closable else {KEPT_BY_USER: True}),
        }
        opener = browser.tabs.by_id.get(tab.opener) if tab.opener is not None else None
        if tab.opener_target_id:
            return {**info, "openerId": tab.opener_target_id}
        if opener is None:
            return info
        # A link opened in a new tab has no opener, but the hub must know whose tab it came from.
        return {
            **info,
            "openerId" if tab.opener_target_id is None else "openedBy": opener.target_id,
        }

    def all(self) -> Iterator[dict[str, Any]]:
        """Yield the info of every target."""
        yield self.browser()
        for tab in self._browser.tabs.by_id.values():
            if tab.target_id and not tab.hidden:
                yield self.page(tab)
        for debuggee in self._browser.debuggees.values():
            if debuggee.child_session_id:
                yield debuggee.info

    def find(self, target: str) -> dict[str, Any] | None:
        """Return the info of one target; None if there is none."""
        tab = self._browser.tabs.by_target(target)
        if tab is not None:
            return self.page(tab)
        return next((info for info in self.all() if info["targetId"] == target), None)

    def created(self, info: Info) -> None:
        """Announce a new target."""
        self._announce("Target.targetCreated", str(info.get("type", "")), {"targetInfo": info})

    def changed(self, info: Info) -> None:
        """Announce changed target info."""
        self._announce("Target.targetInfoChanged", str(info.get("type", "")), {"targetInfo": info})

    def destroyed(self, info: Info) -> None:
        """Announce that a target is gone."""
        gone = {"targetId": info.get("targetId", "")}
        self._announce("Target.targetDestroyed", str(info.get("type", "")), gone)

    def _announce(self, method: str, kind: str, params: Info) -> None:
        listeners = [
            session.id
            for session in self._browser.sessions.values()
            if session.discover is not None and filter_admits(session.discover, kind)
        ]
        raw = encode(params) if listeners else b""
        for listener in listeners:
            self._browser.emit(event_message(method, raw, listener))


class SharedTabs:
    """The shared tabs of one Chrome."""

    def __init__(self, browser: ExtensionBrowser) -> None:
        self._browser = browser
        self.by_id: dict[int, SharedTab] = {}

    def by_target(self, target: str) -> SharedTab | None:
        """Return the tab with a target id, including earlier ids of the tab."""
        for tab in self.by_id.values():
            if target and (tab.target_id == target or target in tab.aliases):
                return tab
        return None

    def update_all(self, listed: list[SharedTab]) -> None:
        """Take the whole list of tabs; add, change and remove tabs accordingly."""
        seen = {tab.tab_id: tab for tab in listed if not self._browser.hides(tab.url)}
        for tab in [
            t for t in self.by_id.values() if not self._is_same_target(t, seen.get(t.tab_id))
        ]:
            self.remove(tab.tab_id)
        for tab in seen.values():
            self._add_or_update(tab)

    def _is_same_target(self, known: SharedTab, seen: SharedTab | None) -> bool:
        """Return whether a listed tab is the known target. A tab with another main frame is not."""
        if seen is None:
            return False
        return not seen.target_id or seen.target_id in {known.target_id, *known.aliases}

    def add(self, seen: SharedTab) -> SharedTab:
        """Add a tab, or update it if it is known."""
        if self._browser.hides(seen.url):
            self.remove(seen.tab_id)
            return seen
        return self._add_or_update(seen)

    def _add_or_update(self, seen: SharedTab) -> SharedTab:
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

    def _announce(self, tab: SharedTab) -> None:
        tab.locked_to = site_of(tab.url)
        self._browser.popups.on_tab_created(tab)

    def update(self, changes: Mapping[str, Any]) -> None:
        """Handle `tabUpdated`: another URL, title, window or state."""
        tab = self.by_id.get(int(changes.get("tabId", -1)))
        if tab is not None:
            self._change(tab, changes)

    def _change(self, tab: SharedTab, changes: Mapping[str, Any]) -> None:
        if self._browser.hides(str(changes.get("url", ""))):
            self.remove(tab.tab_id)
            return
        before = (tab.url, tab.title, tab.target_id, tab.closable)
        url, title, target = changes.get("url"), changes.get("title"), changes.get("targetId")
        tab.url = url if isinstance(url, str) else tab.url
        tab.title = title if isinstance(title, str) else tab.title
        if isinstance(changes.get("windowId"), int):
            tab.window_id = changes["windowId"]
        tab.active = changes.get("active", tab.active) is True
        tab.discarded = changes.get("discarded", tab.discarded) is True
        if "by" in changes:
            tab.by = str(changes["by"] or "")
        tab.closable = changes.get("closable", tab.closable) is not False
        if not tab.locked_to or not self._browser.settings.get("lockUrl"):
            tab.locked_to = site_of(tab.url)
        if isinstance(target, str) and target and target not in {tab.target_id, *tab.aliases}:
            self.set_target_id(tab, target)
        elif (
            before != (tab.url, tab.title, tab.target_id, tab.closable)
            and tab.target_id
            and not tab.hidden
        ):
            self._browser.targets.changed(self._browser.targets.page(tab))

    def set_target_id(self, tab: SharedTab, target: str) -> None:
        """Change a tab's target id. While a session is on it, clients keep the id they know."""
        if not tab.target_id:
            tab.target_id = target
            self._announce(tab)
        elif self._browser.is_in_use(tab):
            tab.aliases.add(target)
        else:
            self._browser.targets.destroyed(self._browser.targets.page(tab))
            tab.aliases.add(tab.target_id)
            tab.target_id = target
            tab.aliases.discard(target)
            self._browser.targets.created(self._browser.targets.page(tab))

    def set_main_frame(self, tab: SharedTab, frame: str) -> None:
        """Alias a main frame's real id to the tab's target id, which clients already know."""
        if not tab.target_id:
            self.set_target_id(tab, frame)
            return
        self._browser.frame_id_aliases.pop(tab.frame_id.encode(), None)
        tab.frame_id = frame
        self._browser.frame_id_aliases[frame.encode()] = tab.target_id.encode()

    def set_url(self, tab: SharedTab, url: str) -> None:
        """Take a tab's URL from the debugger, which reports it before the extension does."""
        if url != tab.url:
            self._change(tab, {"url": url})

    def remove(self, tab_id: int) -> None:
        """Remove a tab."""
        tab = self.by_id.get(tab_id)
        if tab is None:
            return
        self._browser.attachments.on_tab_closed(tab)
        self._browser.frame_id_aliases.pop(tab.frame_id.encode(), None)
        del self.by_id[tab_id]
        if not tab.target_id:
            self._browser.popups.on_short_lived_tab(tab)
        elif not self._browser.popups.keep_if_recent(tab):
            self._browser.targets.destroyed(self._browser.targets.page(tab))

    def change_tab_id(self, tab_id: int, new_id: int) -> None:
        """Change a tab's id after Chrome replaced it. The next list shows whether it is the same
        page."""
        tab = self.by_id.get(tab_id)
        if tab is None:
            return
        if not self._browser.attachments.change_tab_id(tab, new_id):
            self.remove(tab_id)
            return
        del self.by_id[tab_id]
        tab.tab_id = new_id
        self.by_id[new_id] = tab
