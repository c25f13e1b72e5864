"""A session on a tab that may have no debugger yet.

    lazy       answer()          records set-up commands and answers them from the tab's URL; any
                                 other command is real: attach first
    attaching  replay()          returns the recorded commands for the real session
               finish_replay()   tells the client what differs from what it was told
    attached   outbound()        translates made-up ids to real ones, and back in
               inbound()         inbound_result() and inbound(), until the next document makes the
                                 session `is_transparent`

Knows: what Chrome replies while a page is set up, and in which order. Must not know: sockets, who
attaches, or whose tab it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pilothouse.relay import cdp_bytes
from pilothouse.relay.lazy.document_from_url import (
    LIFECYCLE,
    LazyDocument,
    address_of,
    child_frames,
    without_fragment,
)
from pilothouse.relay.lazy.execution_contexts import LazyContext
from pilothouse.relay.lazy.id_map import CommandFailure, Event, IdMap
from pilothouse.relay.lazy.setup_commands import (
    ADD_SCRIPT,
    CREATE_WORLD,
    RUN,
    CommandRecording,
    RecordedCommand,
    is_setup_command,
)

__all__ = ["CommandFailure", "LazyReply", "LazySession", "ReplayCommand"]

Params = Mapping[str, Any]

_TREE = "Page.getFrameTree"
_LAST = ("Target.setAutoAttach", RUN)
# Chrome's errors for domains that need another domain first.
_NEEDS_DOM = {
    "CSS.enable": "DOM agent needs to be enabled first.",
    "Overlay.enable": "DOM should be enabled first",
}
# Events to drop while the frame tree is awaited: the tree contains their outcome.
_COVERED_BY_TREE = ("Page.frame", "Page.lifecycleEvent", "Page.navigatedWithinDocument")


@dataclass(frozen=True, slots=True)
class LazyReply:
    """What to send to the client: events and one reply, in order."""

    messages: list[bytes]


@dataclass(frozen=True, slots=True)
class ReplayCommand:
    """A command for the real session. Pass its outcome to `finish_replay` with the token."""

    token: int
    method: str
    params: Params


class LazySession:
    """One client's session on one tab: before, while and after the debugger attaches."""

    def __init__(self, session_id: str, info: Params) -> None:
        self.session_id = session_id
        self.info: dict[str, Any] = dict(info)
        self.target = str(info.get("targetId", ""))
        self.ids = IdMap(session_id, self.target)
        self._recording = CommandRecording()
        self._documents = 0
        self._document = self._document_at(str(info.get("url", "")))
        self._state: Literal["lazy", "attaching", "attached"] = "lazy"
        # Whether the client has asked for the frame tree.
        self._sent_frame_tree = False
        self._last_token = 0
        self._pending_replays: dict[int, RecordedCommand | LazyContext | None] = {}
        self._held_events: list[Event] | None = None

    @property
    def is_attached(self) -> bool:
        """Return whether everything is replayed, so that the client's own commands may follow."""
        return self._state == "attached"

    @property
    def knows_frames(self) -> bool:
        """Return whether the client knows the real frames, so events about them may follow."""
        return self._state != "lazy" and self._held_events is None

    @property
    def is_transparent(self) -> bool:
        """Return whether no made-up id is in use any more: only the session id differs."""
        return self.is_attached and self.ids.is_identity

    # Before there is a debugger.

    def is_recorded(self, method: str) -> bool:
        """Return whether a command of this name waits for the debugger."""
        return self._state == "lazy" and self._is_enabled(method)

    def answer(self, id: int, method: str, params: Params) -> LazyReply | None:
        """Answer a command that only sets the session up; None for any other."""
        if self._state != "lazy":
            return None
        if method == "Target.getTargetInfo" and params.get("targetId", self.target) == self.target:
            return self._reply(id, {"targetInfo": self.info})
        if not is_setup_command(method, params):
            return None
        if method == CREATE_WORLD and params["frameId"] != self.target:
            return None
        if method in _NEEDS_DOM and not self._is_enabled("DOM.enable"):
            return self._error_reply(id, _NEEDS_DOM[method])
        match method:
            case "Page.addScriptToEvaluateOnNewDocument":
                return self._add_script(id, params)
            case "Page.removeScriptToEvaluateOnNewDocument":
                known = self._recording.remove_script(params["identifier"])
                return self._reply(id, {}) if known else self._error_reply(id, "Script not found")
            case "Page.createIsolatedWorld":
                return self._create_world(id, params)
            case "Page.getFrameTree":
                self._sent_frame_tree = True
                return self._reply(id, {"frameTree": {"frame": self._document.to_frame()}})
        events = self._events_before_reply(method, params)
        self._recording.add(method, params)
        return self._reply(id, {}, events)

    def _events_before_reply(self, method: str, params: Params) -> list[Event]:
        """Return the events that Chrome sends before its reply."""
        if method == "Runtime.enable" and not self._is_enabled(method):
            if self.ids.contexts.main() is None:
                self.ids.contexts.make(self.target, default=True)
            return [self._announce_context(context) for context in self.ids.contexts]
        if method == "Runtime.disable":
            self.ids.mark_contexts_unannounced()
        elif method == "Page.setLifecycleEventsEnabled" and params["enabled"]:
            return self._document.lifecycle()
        return []

    def _add_script(self, id: int, params: Params) -> LazyReply:
        events: list[Event] = []
        world = params.get("worldName")
        if world and params.get("runImmediately") and self.ids.contexts.world(world) is None:
            events = self._announce_world(self._make_world(world))
        return self._reply(id, {"identifier": self._recording.add_script(params)}, events)

    def _create_world(self, id: int, params: Params) -> LazyReply:
        name = str(params.get("worldName", ""))
        events: list[Event] = []
        context = self.ids.contexts.world(name)
        if context is None:
            universal = bool(params.get("grantUniveralAccess"))
            context = self.ids.contexts.make(self.target, name, universal=universal)
            events = self._announce_world(context)
        return self._reply(id, {"executionContextId": context.id}, events)

    def _make_world(self, name: str) -> LazyContext:
        return self.ids.contexts.make(self.target, name, universal=True)

    def _announce_world(self, context: LazyContext) -> list[Event]:
        return [self._announce_context(context)] if self._is_enabled("Runtime.enable") else []

    def on_navigated(self, url: str, title: str | None = None) -> list[bytes]:
        """Return what to tell the client after the tab navigated without a debugger."""
        if self._state != "lazy":
            return []
        self.info["url"] = url
        if title is not None:
            self.info["title"] = title
        before, after = self._document, self._document_at(url)
        if after.url == before.url:
            return []
        self._document = after
        if without_fragment(after.url)[0] == without_fragment(before.url)[0]:
            self._document = LazyDocument(before.frame, after.url, before.loader)
            params = {"frameId": self.target, "url": after.url, "navigationType": "fragment"}
            return self._encode_events(
                [("Page.navigatedWithinDocument", params)]
                if self._is_enabled("Page.enable")
                else []
            )
        events = self._navigation_events(after.to_frame(), after.loader)
        if self._is_enabled("Runtime.enable"):
            made = [self.ids.contexts.make(self.target, default=True)]
            worlds = (str(s.params.get("worldName", "")) for s in self._recording.scripts())
            made += [self._make_world(w) for w in dict.fromkeys(worlds) if w]
            events += [self._announce_context(context) for context in made]
        if self._has_lifecycle_events():
            events += after.lifecycle()
        return self._encode_events(events)

    # While the debugger attaches.

    def replay(self) -> list[ReplayCommand]:
        """Return the commands for the real session, to send in order without waiting.

        Call it again when a failed attach is retried.
        """
        self._state = "attaching"
        self._pending_replays.clear()
        self._held_events = None
        self.ids.forget_real_ids()
        worlds = self.ids.contexts.worlds()
        known_worlds = {context.name for context in worlds}
        recorded = self._recording.commands()
        commands: list[ReplayCommand] = [
            self._replay_recorded(command)
            for command in recorded
            if command.method == "Page.enable"
        ]
        if self._sent_frame_tree or self.ids.contexts:
            self._held_events = []
            commands.append(self._new_replay(_TREE, {}, None))
        for script in self._recording.scripts():
            commands.append(self._replay_recorded(_in_every_frame(script, known_worlds)))
        # Before Runtime.enable, so that each reply binds its context before events mention it.
        commands += [self._replay_world(context) for context in worlds]
        rest = [r for r in recorded if r.method not in ("Page.enable", ADD_SCRIPT)]
        commands += [self._replay_recorded(r) for r in rest if r.method not in _LAST]
        commands += [self._replay_recorded(r) for last in _LAST for r in rest if r.method == last]
        if not commands:
            self._state = "attached"
        return commands

    def finish_replay(self, token: int, result: Params | None) -> list[bytes]:
        """Handle the outcome of one replayed command, None if it failed; return what to tell the
        client."""
        if token not in self._pending_replays:
            return []
        about = self._pending_replays.pop(token)
        events: list[Event] = []
        if about is None:
            tree = result.get("frameTree") if result is not None else None
            events = self._on_frame_tree(tree)
        elif result is not None and isinstance(about, LazyContext):
            if self.ids.contexts.by_id(about.id) is about:
                self.ids.contexts.bind(about, result["executionContextId"])
        elif result is not None and isinstance(about, RecordedCommand) and about.placeholder:
            self.ids.map_script(about.placeholder, str(result.get("identifier")))
        if not self._pending_replays and self._state == "attaching":
            self._state = "attached"
        return self._encode_events(events)

    def _on_frame_tree(self, tree: Params | None) -> list[Event]:
        held, self._held_events = self._held_events or [], None
        # Without a tree the real document is unknown: withdraw everything the client was told.
        events = self._clear_contexts() if tree is None else self._reconcile(tree)
        for method, params in held:
            events += self.ids.inbound(method, params)
        return events

    def _reconcile(self, tree: Params) -> list[Event]:
        """Return the events that bring the client from the guessed document to the real one."""
        frame: Params = tree["frame"]
        if frame["id"] != self.target:
            # In a prerendered tab the main frame id differs from the target id.
            self.ids.real_frame = frame["id"]
            frame = {**frame, "id": self.target}
        events: list[Event] = []
        if self._document.matches_frame(frame):
            self.ids.loader = self._document.loader
            self.ids.real_loader = str(frame.get("loaderId", ""))
            self.ids.sent_lifecycle = set(LIFECYCLE) if self._has_lifecycle_events() else set()
            events = self._fragment_changed(frame)
        else:
            shown = {**frame, "url": frame.get("url") or "about:blank"}
            events = self._navigation_events(shown, str(frame.get("loaderId", "")))
        if not self._sends_frame_events():
            return events
        for child in child_frames(tree):
            parent = child.get("parentId")
            parent = self.target if parent == self.ids.real_frame else parent
            attached = {"frameId": child["id"], "parentFrameId": parent}
            events.append(("Page.frameAttached", attached))
            if child.get("url") not in ("", ":"):
                shown = {**child, "parentId": parent}
                events.append(("Page.frameNavigated", {"frame": shown, "type": "Navigation"}))
        return events

    def _fragment_changed(self, frame: Params) -> list[Event]:
        after = address_of(frame)
        if (
            frame.get("unreachableUrl")
            or after == self._document.url
            or not self._sends_frame_events()
        ):
            return []
        params = {"frameId": self.target, "url": after, "navigationType": "fragment"}
        return [("Page.navigatedWithinDocument", params)]

    def _replay_world(self, context: LazyContext) -> ReplayCommand:
        params: dict[str, Any] = {"frameId": self.target, "worldName": context.name}
        if context.universal:
            params["grantUniveralAccess"] = True
        return self._new_replay(CREATE_WORLD, params, context)

    def _replay_recorded(self, recorded: RecordedCommand) -> ReplayCommand:
        return self._new_replay(recorded.method, recorded.params, recorded)

    def _new_replay(
        self, method: str, params: Params, about: RecordedCommand | LazyContext | None
    ) -> ReplayCommand:
        self._last_token += 1
        self._pending_replays[self._last_token] = about
        return ReplayCommand(self._last_token, method, params)

    # Once the debugger is attached.

    def outbound(self, method: str, params: Params) -> Params | CommandFailure:
        """Return a command's params with the browser's ids."""
        return self.ids.outbound(method, params)

    def inbound_result(self, method: str, result: Params) -> Params:
        """Return a result with the client's ids."""
        return self.ids.inbound_result(method, result)

    def inbound(self, method: str, params: Params) -> list[Event]:
        """Return an event with the client's ids; none if the client had it already."""
        if self._held_events is None:
            return self.ids.inbound(method, params)
        if not method.startswith(_COVERED_BY_TREE):
            self._held_events.append((method, params))
        return []

    # Helpers.

    def _document_at(self, url: str) -> LazyDocument:
        self._documents += 1
        return LazyDocument.for_url(self.target, url, f"{self.session_id} {self._documents}")

    def _is_enabled(self, enable: str) -> bool:
        return self._recording.has(enable)

    def _has_lifecycle_events(self) -> bool:
        return any(
            recorded.params["enabled"]
            for recorded in self._recording.commands()
            if recorded.method == "Page.setLifecycleEventsEnabled"
        )

    def _sends_frame_events(self) -> bool:
        return self._sent_frame_tree and self._is_enabled("Page.enable")

    def _announce_context(self, context: LazyContext) -> Event:
        context.announced = True
        described = context.description(self._document.origin)
        return "Runtime.executionContextCreated", {"context": described}

    def _clear_contexts(self) -> list[Event]:
        announced = any(context.announced for context in self.ids.contexts)
        self.ids.forget_document()
        return [("Runtime.executionContextsCleared", {})] if announced else []

    def _navigation_events(self, frame: Params, loader: str) -> list[Event]:
        """Return the events of a navigation, up to where the new contexts follow."""
        events = self._clear_contexts()
        if self._sends_frame_events() and self._has_lifecycle_events():
            events += LazyDocument(self.target, "", loader).lifecycle("init")
        if self._sends_frame_events():
            events.append(("Page.frameNavigated", {"frame": frame, "type": "Navigation"}))
        return events

    def _encode_events(self, events: list[Event]) -> list[bytes]:
        return [
            cdp_bytes.encode_event(method, params, self.session_id) for method, params in events
        ]

    def _reply(self, id: int, result: Params, events: list[Event] | None = None) -> LazyReply:
        encoded = self._encode_events(events or [])
        return LazyReply([*encoded, cdp_bytes.encode_result(id, result, self.session_id)])

    def _error_reply(self, id: int, words: str) -> LazyReply:
        return LazyReply(
            [cdp_bytes.encode_error(id, cdp_bytes.SERVER_ERROR, words, self.session_id)]
        )


def _in_every_frame(script: RecordedCommand, worlds: set[str]) -> RecordedCommand:
    """Make a script that only creates a world run at once, so that frames the client could not ask
    for get the world too."""
    lines = (line.strip() for line in str(script.params["source"]).splitlines())
    if script.params.get("worldName") not in worlds or any(
        line and not line.startswith("//") for line in lines
    ):
        return script
    return RecordedCommand(
        script.method, {**script.params, "runImmediately": True}, script.placeholder
    )
