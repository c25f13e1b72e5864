"""Finds out what a backend can do, by trying it on a tab of our own that is closed again.

Knows: which question tells which ability. Must not know: what follows from the answers
(`capabilities.py`). Nothing here raises for a backend that cannot do something; only a lost
wire does.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.cdp import Command, Connection, EventName, Reply, Session, SessionId
from pilothouse.cdp.protocol import Browser, Debugger, Fetch, Page, Runtime, Target
from pilothouse.errors import CdpError, CommandFailed, ConnectionLost
from pilothouse.supervisor.capabilities.capabilities import (
    LAUNCHED,
    UNPROBED,
    Findings,
    needs_probe,
)
from pilothouse.supervisor.model import (
    READ_QUESTION,
    Dialog,
    Mode,
    answer_commands,
    install_commands,
    pattern,
    read_question,
)
from pilothouse.tasks import Tasks

__all__ = ["HOLD_S", "measure", "probe"]

# A dialog that stands so long waits for us. Where another client is attached to what we open, it
# may be about to answer, and on a busy machine it takes its time.
HOLD_S = 0.3
SHARED_HOLD_S = 1.5

WITHIN_S = 5.0
OOPIF_WITHIN_S = 2.0
CLOSED_WITHIN_S = 2.0

_NOT_THERE = -32601
_MESSAGE = "Pilothouse tries out how dialogs behave here; this closes by itself."
_KEEP = "globalThis.kept = {confirm, prompt}; 0"
_RESTORE = "Object.assign(globalThis, kept); 0"
_FRAME = """{
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.srcdoc = "<p>";
  const root = document.documentElement ?? document.appendChild(document.createElement("html"));
  root.append(frame);
}"""


async def measure(
    connection: Connection, *, owned: bool, known: Findings | None = None, product: str = ""
) -> tuple[str, Findings]:
    """The backend's name and abilities; one that we launched, or know, is not tried. `product` is
    what it has said it is, if it was asked before.

    Raises CdpError if it does not even say what it is.
    """
    if not product:
        product = (await connection.send(Browser.getVersion(), WITHIN_S)).get("product", "")
    if known is not None:
        return product, known
    if not needs_probe(product, owned=owned):
        return product, LAUNCHED
    return product, await probe(connection)


async def probe(connection: Connection) -> Findings:
    """Try everything on one tab in the background. Raises ConnectionLost."""
    try:
        async with _tab(connection) as tab:
            found = Findings(
                probed=True,
                shared=tab.shared,
                debugger_bridge=await _try_bridge(tab, "debugger"),
                xhr_bridge=await _try_bridge(tab, "xhr"),
            )
            # Another client sees no dialog that opened before it was ready for the new tab: it
            # gets the time of all other trials, and if it was still late, a second chance.
            found = await _try_native(tab, await _try_frames(tab, found))
            if found.native and tab.shared:
                found = await _try_native(tab, found)
    except ConnectionLost:
        raise
    except CdpError as error:
        return replace(UNPROBED, note=f"not measured, taken for a Chromium: {error.message}")
    return replace(
        found,
        downloads=await _knows(connection, "Browser.setDownloadBehavior"),
        extensions=await _knows(connection, "Extensions.loadUnpacked"),
    )


class _Tab(msgspec.Struct):
    """The tab that is tried on."""

    session: Session
    shared: bool
    tasks: Tasks
    host: str = msgspec.field(default_factory=lambda: f"https://{secrets.token_hex(12)}.invalid/")

    @property
    def hold_s(self) -> float:
        return SHARED_HOLD_S if self.shared else HOLD_S

    def call(self, expression: str) -> asyncio.Task[Any]:
        """What the page's call returns, once it does."""
        command = Runtime.evaluate(expression=expression, returnByValue=True)
        return self.tasks.start(_value(self.session.send(command, WITHIN_S)), expression)


@asynccontextmanager
async def _tab(connection: Connection) -> AsyncIterator[_Tab]:
    """A tab in the background; whatever was left open in it is dismissed before it is closed."""
    made = await connection.send(Target.createTarget(url="about:blank", background=True), WITHIN_S)
    target, tasks = made["targetId"], Tasks()
    try:
        session, shared = await _attach(connection, target)
        await session.send(Page.enable(), WITHIN_S)
        # Asked twice if the first document is still being put in place.
        await session.read(Runtime.evaluate(expression=_KEEP), WITHIN_S)
        try:
            yield _Tab(session, shared, tasks)
        finally:
            await _sent(session, Page.handleJavaScriptDialog(accept=False))
            # Lightpanda takes it for the whole connection, also when the tab is gone.
            off = Target.setAutoAttach(autoAttach=False, waitForDebuggerOnStart=False, flatten=True)
            await _sent(session, off)
    finally:
        await tasks.close()
        gone = connection.root.expect(
            Target.detachedFromTarget, lambda p: p.get("targetId") == target, CLOSED_WITHIN_S
        )
        await _sent(connection.root, Target.closeTarget(targetId=target))
        if any(s.target_id == target for s in connection.sessions.values()):
            await _awaited(gone)  # or it would be taken for somebody's tab
        gone.cancel()


async def _attach(connection: Connection, target: str) -> tuple[Session, bool]:
    """Our session on a target, and whether somebody else has one too."""
    for session in connection.sessions.values():
        if session.target_id == target:
            return session, False  # some backends attach whoever opens
    info = await connection.send(Target.getTargetInfo(targetId=target), WITHIN_S)
    attach = Target.attachToTarget(targetId=target, flatten=True)
    attached = await connection.send(attach, WITHIN_S)
    session = connection.sessions[SessionId(attached["sessionId"])]
    return session, bool(info["targetInfo"]["attached"])


async def _try_native(tab: _Tab, found: Findings) -> Findings:
    """Does a dialog show, does it stay, does the page get what we answer?"""
    opening = tab.session.expect(Page.javascriptDialogOpening, deadline=WITHIN_S)
    closed = asyncio.Event()
    leave = tab.session.on(Page.javascriptDialogClosed, lambda _: closed.set())
    returned = tab.call(f"confirm({_MESSAGE!r})")
    shown = tab.tasks.start(_awaited(opening), "a dialog shows")
    try:
        await asyncio.wait({returned, shown}, return_when=asyncio.FIRST_COMPLETED)
        # The event comes before the reply; what has not come by now never will.
        opens = opening.done() and await shown is not None
        await asyncio.wait({returned}, timeout=tab.hold_s)
        holds = opens and not returned.done() and not closed.is_set()
        taken = holds and await _sent(tab.session, Page.handleJavaScriptDialog(accept=True))
        return replace(found, opens=opens, holds=holds, answers=taken and await returned is True)
    finally:
        leave()


async def _try_bridge(tab: _Tab, mode: Mode) -> bool:
    """Install it, ask for a text, wait, answer, and compare what the page got."""
    event: EventName[Any] = Debugger.paused if mode == "debugger" else Fetch.requestPaused
    heard = tab.session.expect(event, deadline=WITHIN_S)
    try:
        if mode == "xhr":
            rule: Any = [pattern(tab.host)]
            await tab.session.send(Fetch.enable(patterns=rule), WITHIN_S)
        for command in install_commands(mode, tab.host):
            await tab.session.send(command, WITHIN_S)
        text = secrets.token_hex(4)
        returned = tab.call(f"prompt({_MESSAGE!r}, 'default')")
        asked = tab.tasks.start(_awaited(heard), "the bridge asks")
        await asyncio.wait({returned, asked}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({returned}, timeout=HOLD_S)
        if returned.done() or (question := await asked) is None:
            return False
        for command in await _answer(tab, mode, question, text):
            await tab.session.send(command, WITHIN_S)
        return bool(await returned == text)
    except ConnectionLost:
        raise
    except CdpError:
        return False  # it lacks what the bridge stands on
    finally:
        heard.cancel()
        await _sent(tab.session, Command(f"{event.method.partition('.')[0]}.disable"))
        # A bridge that does not work falls back to the dialog it stands in for.
        await _sent(tab.session, Page.handleJavaScriptDialog(accept=False))
        await _sent(tab.session, Runtime.evaluate(expression=_RESTORE))


async def _answer(
    tab: _Tab, mode: Mode, params: Mapping[str, Any], text: str
) -> list[Command[Any]]:
    """The commands that answer the question which the bridge asks."""
    if mode == "debugger":
        handle = params["callFrames"][0]["callFrameId"]
        read = {"callFrameId": handle, "expression": READ_QUESTION}
        said: Any = await tab.session.send(Command("Debugger.evaluateOnCallFrame", read), WITHIN_S)
        question = str(said["result"].get("value", ""))
    else:
        handle = params["requestId"]
        question = params["request"].get("postData", "")
    asked = read_question(question, tab.session.id, "", handle, mode, 0.0)
    if asked is None or asked.message != _MESSAGE:
        return []
    dialog = Dialog(
        "probe", asked.type, asked.message, "", tab.session.id, "", "", "", "", 0.0, mode, handle
    )
    return answer_commands(dialog, True, text)


async def _try_frames(tab: _Tab, found: Findings) -> Findings:
    """A sandboxed frame is put into a process of its own without any network."""
    frames: list[str] = []
    leave = tab.session.on(Page.frameAttached, lambda e: frames.append(e.params["frameId"]))
    attached = tab.session.expect(
        Target.attachedToTarget,
        lambda params: params["targetInfo"]["type"] == "iframe",
        OOPIF_WITHIN_S,
    )
    try:
        flat = Target.setAutoAttach(autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        evaluates = await _sent(tab.session, flat) and await _sent(
            tab.session, Runtime.evaluate(expression=_FRAME)
        )
        tree = await _sent(tab.session, Page.getFrameTree()) and bool(frames)
        if not evaluates or not tree:
            return replace(found, frame_tree=tree)
        child = await _awaited(attached)
        session = tab.session.connection.sessions.get(child["sessionId"]) if child else None
        answer = session.send(Runtime.evaluate(expression="1 + 1"), WITHIN_S) if session else None
        return replace(
            found, frame_tree=tree, oopif_evaluate=answer is not None and await _value(answer) == 2
        )
    finally:
        attached.cancel()
        leave()


async def _knows(connection: Connection, method: str) -> bool:
    """Whether there is such a command: without its parameters it is refused, but not unknown."""
    try:
        await connection.send(Command(method), WITHIN_S)
    except CommandFailed as error:
        return error.code != _NOT_THERE
    except ConnectionLost:
        raise
    except CdpError:
        return False
    return True


async def _sent(session: Session, command: Command[Any]) -> bool:
    """Whether the backend took a command."""
    try:
        await session.send(command, WITHIN_S)
    except ConnectionLost:
        raise
    except CdpError:
        return False
    return True


async def _value(reply: Reply[Any]) -> Any:
    """What an evaluation returned; None too if it came to nothing."""
    try:
        return (await reply)["result"].get("value")
    except CdpError:
        return None


async def _awaited(expectation: Any) -> Any:
    """The event's params, or None if it did not come."""
    try:
        return await expectation
    except CdpError:
        return None
