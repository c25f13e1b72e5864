"""Puts a page back as its sessions had it, on a debugger that is fresh. Pure.

Knows: what is replayed in which order, and what sessions must hear if the page is another one by
now. Must not know: why the debugger was lost. Until it is done nothing else is sent to the page.
Objects and nodes that sessions had end with the debugger, even if the page is the same one: worlds
are told as cleared and as made anew, so that clients ask for their objects again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.child_targets import AUTO_ATTACH
from pilothouse.relay.extension_browser.client_session import Script
from pilothouse.relay.extension_browser.debuggee import RUN, Strand
from pilothouse.relay.extension_browser.event_replay import CLEARED, LIFECYCLE, Memory
from pilothouse.relay.extension_browser.requests import Asked
from pilothouse.relay.extension_browser.types import EMPTY, Wrong, encode, event_frame, loads

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import Core

__all__ = ["Restoring"]

_ADD_SCRIPT = "Page.addScriptToEvaluateOnNewDocument"
_AUTO = "Target.setAutoAttach"
# What ends with the debugger, by domain.
_ENDS = {
    "Debugger": ("Debugger.resumed", EMPTY),
    "Runtime": CLEARED,
    "DOM": ("DOM.documentUpdated", EMPTY),
}

Heard = Callable[[Mapping[str, Any]], None]
Replayed = tuple[str, Mapping[str, Any], Heard | None]


class Restoring:
    """Everything that is being put back."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._asked: dict[Strand, list[Asked]] = {}

    def lost(self, strand: Strand) -> None:
        """The debugger is off a page: it and all below it must be put back."""
        self.abandon(strand)
        strand.restoring = True
        strand.flights.clear()
        for child in strand.children.values():
            self.lost(child)

    def abandon(self, strand: Strand) -> None:
        """What is being put back will not be finished."""
        for asked in self._asked.pop(strand, ()):
            asked.done = True
        for child in strand.children.values():
            self.abandon(child)

    def found(self, child: Strand, number: str, info: Mapping[str, Any], waiting: bool) -> None:
        """A frame or worker that we know was attached again, under another session of Chrome's."""
        core, parent = self._core, child.parent
        if parent is not None:
            parent.children.pop(child.child, None)
            parent.children[number] = child
        core.strands.pop(child.child, None)
        core.strands[number] = child
        child.child, child.info = number, dict(info)
        ran = not child.waiting
        child.waiting = waiting and not ran
        self.start(child, lambda: None, let_run=waiting and ran)

    def start(self, strand: Strand, then: Callable[[], None], let_run: bool = False) -> None:
        """Replay everything; `then` when the page has answered all of it."""
        self._tell_lost(strand)
        strand.memory = Memory(strand.memory.latest)
        strand.restoring = True
        strand.crashed = False
        tree: dict[str, Any] = {}
        sent = [*self._replayed(strand, tree)]
        if let_run:
            sent.append((RUN, {}, None))
        asked: list[Asked] = []
        self._asked[strand] = asked
        left = len(sent)

        def settled(heard: Heard | None, result: msgspec.Raw | None) -> None:
            nonlocal left
            left -= 1
            if heard is not None and result is not None:
                heard(loads(result))
            if left == 0:
                finish()

        def finish() -> None:
            self._asked.pop(strand, None)
            self._finish(strand, tree)
            then()

        for method, params, heard in sent:
            asked.append(self._ask(strand, method, params, heard, settled))
        for one in asked:
            self._core.send_now(one)
        if not asked:
            finish()  # a frame in which nobody has set anything

    def _tell_lost(self, strand: Strand) -> None:
        """Not before the debugger is on it again: of a page that is closed only that is told. A
        worker is told as ended and comes again as another one: clients learn its world once."""
        for domain, said in _ENDS.items():
            if domain != "Debugger" or strand.memory.is_paused():
                for session in strand.hearers(domain):
                    self._core.emit(event_frame(*said, session))
        for child in [c for c in strand.children.values() if c.kind != "iframe"]:
            self._core.children.end(child)

    def _ask(
        self,
        strand: Strand,
        method: str,
        params: Mapping[str, Any],
        heard: Heard | None,
        settled: Callable[[Heard | None, msgspec.Raw | None], None],
    ) -> Asked:
        def then(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
            settled(heard, result)

        return Asked(method, encode(params), then, strand)

    def _replayed(self, strand: Strand, tree: dict[str, Any]) -> Iterator[Replayed]:
        for method, params in strand.domains.replay():
            yield method, params, None
        for method, params in strand.wishes.replay():
            yield method, params, None
        for session in strand.sessions.values():
            for params in session.bindings.values():
                yield "Runtime.addBinding", params, None
            for script in session.scripts.values():
                yield _ADD_SCRIPT, _with_its_world(script.params), _renames(script)
        for send in strand.fetching.replay():
            yield send.method, send.params, None
        if not strand.child:
            yield "Page.getFrameTree", {}, lambda told: tree.update(told.get("frameTree") or {})
        if strand.auto_on:
            yield _AUTO, AUTO_ATTACH, lambda _: self._bury(strand)

    def _bury(self, strand: Strand) -> None:
        """Chrome has attached all children there are: others are no more."""
        for child in list(strand.children.values()):
            if child.restoring and child not in self._asked:
                self._core.children.end(child)

    def _finish(self, strand: Strand, tree: Mapping[str, Any]) -> None:
        strand.restoring = False
        emit, hearers = self._core.emit, strand.hearers
        loader = str(tree.get("frame", {}).get("loaderId", ""))
        moved = bool(loader and strand.loader and loader != strand.loader)
        strand.loader = loader or strand.loader
        for method, told in _frames(tree) if moved else ():
            for session in hearers("Page"):
                emit(event_frame(method, encode(told), session))
        for domain in ("Runtime", "Debugger", "CSS"):
            for session in hearers(domain):
                for method, raw in strand.memory.replay(domain):
                    emit(event_frame(method, raw, session))
        for session in strand.follows() if moved else ():
            for method, raw in strand.memory.replay(LIFECYCLE):
                emit(event_frame(method, raw, session))


def _renames(script: Script) -> Heard:
    def heard(result: Mapping[str, Any]) -> None:
        script.wire_id = str(result.get("identifier", script.wire_id))

    return heard


def _with_its_world(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """A script that does nothing is there for its world, which the page of now must have, too."""
    if params.get("worldName") and not params.get("source"):
        return {**params, "runImmediately": True}
    return params


def _frames(tree: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What is told of a document and of the frames in it, as if it had just come."""
    frame = tree.get("frame", {})
    if frame.get("parentId"):
        ids = {"frameId": frame.get("id", ""), "parentFrameId": frame["parentId"]}
        yield "Page.frameAttached", ids
    yield "Page.frameNavigated", {"frame": frame, "type": "Navigation"}
    for child in tree.get("childFrames", ()):
        yield from _frames(child)
