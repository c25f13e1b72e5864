"""What each client is told of targets: those that are its own, as if there were no others.

Knows: how a target looks to a client and when it is told. Must not know: how one is attached.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.relay.extension_browser import KEPT
from pilothouse.relay.hub.client import Client, ClientSession
from pilothouse.relay.hub.tab_targets import tab_id, tab_info
from pilothouse.relay.hub.targets import takes

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["Discovery"]

Info = Mapping[str, Any]


class Discovery:
    """The targets of one browser, told to all clients of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    # What the browser tells the hub.

    def heard(self, method: str, params: dict[str, Any]) -> None:
        """An event of the hub's own browser session."""
        hub = self._hub
        match method:
            case "Target.targetCreated":
                hub.targets.learn(params["targetInfo"])
                if params["targetInfo"]["type"] == "page":
                    hub.tab_came(str(params["targetInfo"]["targetId"]))
                for client in hub.clients():
                    self.consider(client, params["targetInfo"])
            case "Target.targetInfoChanged":
                info = params["targetInfo"]
                hub.targets.learn(info)
                for client in hub.clients():
                    self._changed(client, info)
            case "Target.targetDestroyed":
                self._destroyed(str(params["targetId"]))
            case "Target.targetCrashed":
                for client in hub.clients():
                    for session in client.browser_sessions():
                        if params["targetId"] in session.told:
                            client.tell(session, method, params)

    def consider(self, client: Client, info: Info) -> None:
        """A target is new, or newly the client's: tell and attach it as the client wants."""
        if client.sees(info):
            for session in client.browser_sessions():
                self.show(session, info)
                self._hub.attaching.attach_missing(session, info)

    def show(self, session: ClientSession, info: Info) -> None:
        """Tell a target that discovery is to tell."""
        wanted, client = session.discover, session.client
        if wanted is None:
            return
        for told in self.presented(client, info):
            if takes(wanted, told["type"]) and told["targetId"] not in session.told:
                session.told.add(told["targetId"])
                client.tell(session, "Target.targetCreated", {"targetInfo": told})

    def presented(self, client: Client, info: Info) -> list[dict[str, Any]]:
        """A target as the client is to see it, below its tab when it is a page."""
        shown = {name: value for name, value in info.items() if name not in ("openedBy", KEPT)}
        target = str(info["targetId"])
        opener = str(info.get("openerId", ""))
        if opener and not client.sees_target(opener):
            shown.pop("openerId", None)
            shown.pop("openerFrameId", None)
        if info["type"] != "browser":
            shown["attached"] = bool(client.on_target(target))
        return [tab_info(shown), shown] if info["type"] == "page" else [shown]

    def _changed(self, client: Client, info: Info) -> None:
        if not client.sees(info):
            return
        self.consider(client, info)
        self._hub.attaching.lazy.moved(client, info)
        # Chrome announces no changes of tab targets, and Puppeteer would take one for a second
        # change of the page.
        told = self.presented(client, info)[-1]
        for session in client.browser_sessions():
            if told["targetId"] in session.told:
                client.tell(session, "Target.targetInfoChanged", {"targetInfo": told})

    def withdraw(self, client: Client, target: str) -> None:
        """Take a page from one client for good: to it, the page is closed."""
        client.withdrawn.add(target)
        sessions = client.on_target(target)
        self._close_for(client, target)
        for session in sessions:
            self._hub.attaching.detach(session)
            self._hub.attaching.end(session)

    def _destroyed(self, target: str) -> None:
        hub = self._hub
        hub.targets.forget(target)
        hub.unsettled.discard(target)
        hub.leases.gone(target)
        hub.waiting.gone(target)
        for client in hub.clients():
            self._close_for(client, target)

    def _close_for(self, client: Client, target: str) -> None:
        """Tell one client that a page is closed."""
        above = tab_id(target)
        client.opened.discard(target)
        without_debugger = self._hub.attaching.lazy.without_debugger(client, target)
        for tab in [s for s in client.sessions.values() if s.target == above]:
            self._hub.attaching.end_tab(tab)
        for lazy in without_debugger:
            self._hub.attaching.end(lazy)
        for session in client.browser_sessions():
            for gone in (target, above):
                if gone in session.told:
                    session.told.discard(gone)
                    client.tell(session, "Target.targetDestroyed", {"targetId": gone})

    def page_named(self, target: str) -> dict[str, Any] | None:
        """A page by its own id or that of the tab above it."""
        for info in self._hub.targets:
            if info["type"] == "page" and target in (info["targetId"], tab_id(info["targetId"])):
                return info
        return None
