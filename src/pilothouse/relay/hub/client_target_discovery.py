"""Tell each client about its own targets, as if there were no others.

Knows: what a target looks like to a client and when it is announced. Must not know: how one is
attached.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.relay.extension_browser import KEPT_BY_USER
from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.session import ClientSession, Discovery
from pilothouse.relay.hub.synthetic_tab_targets import tab_id, tab_info
from pilothouse.relay.target_command_params import Filter, filter_admits

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["ClientTargetDiscovery"]

Info = Mapping[str, Any]


class ClientTargetDiscovery:
    """Announces the targets of one browser to all clients of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    # Events from the browser.

    def on_event(self, method: str, params: dict[str, Any]) -> None:
        """Handle an event of the hub's own browser session."""
        hub = self._hub
        match method:
            case "Target.targetCreated":
                hub.targets.learn(params["targetInfo"])
                if params["targetInfo"]["type"] == "page":
                    hub.on_page_created(str(params["targetInfo"]["targetId"]))
                for client in hub.clients():
                    self.announce(client, params["targetInfo"])
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
                        if session.has_announced(params["targetId"]):
                            client.send_event(session, method, params)

    def set_filter(self, session: ClientSession, wanted: Filter | None) -> None:
        """Set which targets a session is told of, and tell of those that exist; None: of none."""
        session.discovery = Discovery(wanted) if wanted is not None else None
        for info in self._hub.targets:
            if session.client.can_see(info):
                self.announce_to_session(session, info)

    def announce(self, client: RelayClient, info: Info) -> None:
        """Announce and attach a target that is new, or newly the client's, as the client asked."""
        if client.can_see(info):
            for session in client.browser_sessions():
                self.announce_to_session(session, info)
                self._hub.auto_attacher.attach_missing(session, info)

    def announce_to_session(self, session: ClientSession, info: Info) -> None:
        """Send `Target.targetCreated` on a session, unless filtered out or sent before."""
        discovery, client = session.discovery, session.client
        if discovery is None:
            return
        for shown in self.describe_target(client, info):
            target = shown["targetId"]
            if filter_admits(discovery.filter, shown["type"]) and target not in discovery.announced:
                discovery.announced.add(target)
                client.send_event(session, "Target.targetCreated", {"targetInfo": shown})

    def describe_target(self, client: RelayClient, info: Info) -> list[dict[str, Any]]:
        """Return the target infos a client sees: for a page its tab target, then the page."""
        shown = {
            name: value for name, value in info.items() if name not in ("openedBy", KEPT_BY_USER)
        }
        target = str(info["targetId"])
        opener = str(info.get("openerId", ""))
        # Do not reveal the id of a page that the client may not see.
        if opener and not client.can_see_target(opener):
            shown.pop("openerId", None)
            shown.pop("openerFrameId", None)
        if info["type"] != "browser":
            shown["attached"] = bool(client.sessions_on(target))
        return [tab_info(shown), shown] if info["type"] == "page" else [shown]

    def _changed(self, client: RelayClient, info: Info) -> None:
        if not client.can_see(info):
            return
        self.announce(client, info)
        self._hub.auto_attacher.lazy_tabs.on_target_changed(client, info)
        # Chrome sends no targetInfoChanged for tab targets; Puppeteer would take one for a second
        # change of the page.
        shown = self.describe_target(client, info)[-1]
        for session in client.browser_sessions():
            if session.has_announced(shown["targetId"]):
                client.send_event(session, "Target.targetInfoChanged", {"targetInfo": shown})

    def withdraw(self, client: RelayClient, target: str) -> None:
        """Take a page away from one client for good: the client sees it closed."""
        client.withdrawn_targets.add(target)
        sessions = client.sessions_on(target)
        self._close_for(client, target)
        for session in sessions:
            self._hub.auto_attacher.detach(session)
            self._hub.auto_attacher.end(session)

    def _destroyed(self, target: str) -> None:
        hub = self._hub
        hub.targets.forget(target)
        hub.unassigned_targets.discard(target)
        hub.conflict_detector.forget_target(target)
        hub.resume_barrier.forget_target(target)
        for client in hub.clients():
            self._close_for(client, target)

    def _close_for(self, client: RelayClient, target: str) -> None:
        """Tell one client that a page is closed."""
        above = tab_id(target)
        client.opened_targets.discard(target)
        without_debugger = self._hub.auto_attacher.lazy_tabs.without_debugger(client, target)
        for tab in [s for s in client.sessions.values() if s.target == above]:
            self._hub.auto_attacher.end_tab(tab)
        for lazy in without_debugger:
            self._hub.auto_attacher.end(lazy)
        for session in client.browser_sessions():
            for gone in (target, above):
                if session.discovery is not None and gone in session.discovery.announced:
                    session.discovery.announced.discard(gone)
                    client.send_event(session, "Target.targetDestroyed", {"targetId": gone})

    def find_page(self, target: str) -> dict[str, Any] | None:
        """Find a page by its own target id or that of its tab target."""
        for info in self._hub.targets:
            if info["type"] == "page" and target in (info["targetId"], tab_id(info["targetId"])):
                return info
        return None
