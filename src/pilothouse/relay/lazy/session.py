"""A session of a tab that has no debugger yet.

    lazy       answer()      commands that set a session up are recorded and answered from what a
                             tab's address tells; anything else is a real command: attach first
    attaching  replay()      what was recorded goes out on the real session
               replayed()    the client is told what differs from what it was told
    attached   outbound()    the client's made-up ids become real ones, and back in
               inbound()     answered() and inbound(), until the next document makes that `plain`

Knows: what Chrome answers while a page is set up, and in which order. Must not know: sockets,
who attaches, or whose tab it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pilothouse.relay import cdp_bytes
from pilothouse.relay.lazy.contexts import LazyContext
from pilothouse.relay.lazy.document import (
    LIFECYCLE,
    LazyDocument,
    address_of,
    child_frames,
    without_fragment,
)
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
# Chrome's words for what needs another domain first.
_NEEDS_DOM = {
    "CSS.enable": "DOM agent needs to be enabled first.",
    "Overlay.enable": "DOM should be enabled first",
}
# Told while the frame tree is on its way: the tree says it better.
_COVERED_BY_TREE = ("Page.frame", "Page.lifecycleEvent", "Page.navigatedWithinDocument")


@dataclass(frozen=True, slots=True)
class LazyReply:
    """What to tell the client: events and one reply, in order."""

    messages: list[bytes]


@dataclass(frozen=True, slots=True)
class ReplayCommand:
    """A command to send on the real session; its outcome goes to `replayed` with the token."""

    token: int
    method: str
    params: Params


class LazySession:
    """One client's session on one tab, before, while and after the debugger attaches."""

    def __init__(self, session_id: str, info: Params) -> None:
        self.session_id = session_id
        self.info: dict[str, Any] = dict(info)
        self.target = str(info.get("targetId", ""))
        self.ids = IdMap(session_id, self.target)
        self._recording = CommandRecording()
        self._documents = 0
        self._document = self._document_at(str(info.get("url", "")))
        self._state: Literal["lazy", "attaching", "attached"] = "lazy"
        # Whether the client knows the frames.
        self._sent_frame_tree = False
        self._last_token = 0
        self._pending_replays: dict[int, RecordedCommand | LazyContext | None] = {}
        self._held_events: list[Event] | None = None

    @property
    def is_attached(self) -> bool:
        """Everything is replayed: the client's own commands may follow."""
        return self._state == "attached"

    @property
    def knows_frames(self) -> bool:
        """The client knows the frames as they are, so that it can be told what is in them."""
        return self._state != "lazy" and self._held_events is None

    @property
    def is_transparent(self) -> bool:
        """No made-up id is alive any more: only the session's id differs."""
        return self.is_attached and self.ids.is_identity

    # Before there is a debugger.

    def is_recorded(self, method: str) -> bool:
        """Whether a command of this name waits for the debugger."""
        return self._state == "lazy" and self._is_enabled(method)

    def answer(self, id: int, method: str, params: Params) -> LazyReply | None:
        """The answer to a command that only sets the session up; None for any other."""
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
        """What Chrome tells before it answers."""
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
        """The tab went to another address while nobody looked: what to tell the client."""
        if self._state != "lazy":
            return []
        self.info["url"] = url
        if title is not None:
            self.info["title"] = title
        before, there = self._document, self._document_at(url)
        if there.url == before.url:
            return []
        self._document = there
        if without_fragment(there.url)[0] == without_fragment(before.url)[0]:
            self._document = LazyDocument(before.frame, there.url, before.loader)
            told = {"frameId": self.target, "url": there.url, "navigationType": "fragment"}
            return self._encode_events(
                [("Page.navigatedWithinDocument", told)] if self._is_enabled("Page.enable") else []
            )
        events = self._navigation_events(there.to_frame(), there.loader)
        if self._is_enabled("Runtime.enable"):
            made = [self.ids.contexts.make(self.target, default=True)]
            worlds = (str(s.params.get("worldName", "")) for s in self._recording.scripts())
            made += [self._make_world(w) for w in dict.fromkeys(worlds) if w]
            events += [self._announce_context(context) for context in made]
        if self._has_lifecycle_events():
            events += there.lifecycle()
        return self._encode_events(events)

    # While it attaches.

    def replay(self) -> list[ReplayCommand]:
        """What to send on the real session now, in order and without waiting. To be called again
        when an attach failed and another is made."""
        self._state = "attaching"
        self._pending_replays.clear()
        self._held_events = None
        self.ids.forget_real_ids()
        worlds = self.ids.contexts.worlds()
        told_worlds = {context.name for context in worlds}
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
            commands.append(self._replay_recorded(_in_every_frame(script, told_worlds)))
        # Before Runtime.enable, so that each answer says which context is which.
        commands += [self._replay_world(context) for context in worlds]
        rest = [r for r in recorded if r.method not in ("Page.enable", ADD_SCRIPT)]
        commands += [self._replay_recorded(r) for r in rest if r.method not in _LAST]
        commands += [self._replay_recorded(r) for last in _LAST for r in rest if r.method == last]
        if not commands:
            self._state = "attached"
        return commands

    def finish_replay(self, token: int, result: Params | None, error: object = None) -> list[bytes]:
        """The outcome of one replayed command; what to tell the client because of it."""
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
        # When nobody can say what the tab shows, nothing that was told of it holds.
        events = self._clear_contexts() if tree is None else self._reconcile(tree)
        for method, params in held:
            events += self.ids.inbound(method, params)
        return events

    def _reconcile(self, tree: Params) -> list[Event]:
        """What the client must hear to know the tab as it is."""
        frame: Params = tree["frame"]
        if frame["id"] != self.target:
            # A tab that was prerendered has a main frame of another name than its target.
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
        there = address_of(frame)
        if (
            frame.get("unreachableUrl")
            or there == self._document.url
            or not self._sends_frame_events()
        ):
            return []
        told = {"frameId": self.target, "url": there, "navigationType": "fragment"}
        return [("Page.navigatedWithinDocument", told)]

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

    # Once it is attached.

    def outbound(self, method: str, params: Params) -> Params | CommandFailure:
        """A client's command with the browser's ids in it."""
        return self.ids.outbound(method, params)

    def inbound_result(self, method: str, result: Params) -> Params:
        """The browser's answer to a command with the client's ids in it."""
        return self.ids.inbound_result(method, result)

    def inbound(self, method: str, params: Params) -> list[Event]:
        """The browser's event as the client is to have it: none when it has had it already."""
        if self._held_events is None:
            return self.ids.inbound(method, params)
        if not method.startswith(_COVERED_BY_TREE):
            self._held_events.append((method, params))
        return []

    # Words.

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
        told = any(context.announced for context in self.ids.contexts)
        self.ids.forget_document()
        return [("Runtime.executionContextsCleared", {})] if told else []

    def _navigation_events(self, frame: Params, loader: str) -> list[Event]:
        """Another document than the client was told of, up to where its contexts follow."""
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
        told = self._encode_events(events or [])
        return LazyReply([*told, cdp_bytes.encode_result(id, result, self.session_id)])

    def _error_reply(self, id: int, words: str) -> LazyReply:
        return LazyReply(
            [cdp_bytes.encode_error(id, cdp_bytes.SERVER_ERROR, words, self.session_id)]
        )


def _in_every_frame(script: RecordedCommand, worlds: set[str]) -> RecordedCommand:
    """A script that only names a world makes that world in every frame at once, so that frames
    which the client could not ask for have it too."""
    lines = (line.strip() for line in str(script.params["source"]).splitlines())
    if script.params.get("worldName") not in worlds or any(
        line and not line.startswith("//") for line in lines
    ):
        return script
    return RecordedCommand(
        script.method, {**script.params, "runImmediately": True}, script.placeholder
    )
