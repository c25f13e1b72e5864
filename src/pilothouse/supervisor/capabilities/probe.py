"""Detects the features of a backend by trying them on a tab of our own, which it closes again.

Knows: which test shows which feature. Must not know: what follows from the results
(`features_and_dialog_modes.py`). A missing feature never raises; only a lost connection does.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.asyncio_tasks import Tasks
from pilothouse.cdp import Command, Connection, EventName, Reply, Session, SessionId
from pilothouse.cdp.protocol import Browser, Debugger, Fetch, Page, Runtime, Target
from pilothouse.errors import CdpError, CommandFailed, ConnectionLost
from pilothouse.supervisor.capabilities.features_and_dialog_modes import (
    ASSUMED_FEATURES,
    CHROMIUM_FEATURES,
    BackendFeatures,
    needs_probe,
)
from pilothouse.supervisor.model import (
    READ_QUESTION_EXPRESSION,
    Dialog,
    DialogMode,
    answer_commands,
    bridge_pattern,
    install_commands,
    parse_question,
)

__all__ = ["HOLD_S", "detect_features", "probe_features"]

# A dialog that stays open this long waits for us. Where another client is attached to our tab, that
# client may be about to answer, and on a busy machine it takes longer.
HOLD_S = 0.3
SHARED_HOLD_S = 1.5

WITHIN_S = 5.0
OOPIF_WITHIN_S = 2.0
CLOSED_WITHIN_S = 2.0

_METHOD_NOT_FOUND = -32601
_MESSAGE = "Pilothouse tries out how dialogs behave here; this closes by itself."
_SAVE_DIALOGS = "globalThis.kept = {confirm, prompt}; 0"
_RESTORE_DIALOGS = "Object.assign(globalThis, kept); 0"
_ADD_FRAME = """{
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.srcdoc = "<p>";
  const root = document.documentElement ?? document.appendChild(document.createElement("html"));
  root.append(frame);
}"""


async def detect_features(
    connection: Connection, *, owned: bool, known: BackendFeatures | None = None, product: str = ""
) -> tuple[str, BackendFeatures]:
    """Return the backend's product and features. A backend that we launched or know is not probed.
    `product`: its product string, if it was fetched before.

    Raises CdpError if `Browser.getVersion` fails.
    """
    if not product:
        product = (await connection.send(Browser.getVersion(), WITHIN_S)).get("product", "")
    if known is not None:
        return product, known
    if not needs_probe(product, owned=owned):
        return product, CHROMIUM_FEATURES
    return product, await probe_features(connection)


async def probe_features(connection: Connection) -> BackendFeatures:
    """Try everything on one background tab. Raises ConnectionLost."""
    try:
        async with _open_probe_tab(connection) as tab:
            found = BackendFeatures(
                probed=True,
                debugger_bridge=await _try_bridge(tab, "debugger"),
                xhr_bridge=await _try_bridge(tab, "xhr"),
            )
            # Another client does not see a dialog that opened before it was attached to the new
            # tab. So native dialogs are tried last, and twice if another client is attached.
            found = await _try_native(tab, await _try_frames(tab, found))
            if found.holds_native_dialogs and tab.shared:
                found = await _try_native(tab, found)
    except ConnectionLost:
        raise
    except CdpError as error:
        return replace(
            ASSUMED_FEATURES, note=f"not measured, taken for a Chromium: {error.message}"
        )
    return replace(
        found,
        downloads=await _has_command(connection, "Browser.setDownloadBehavior"),
        extensions=await _has_command(connection, "Extensions.loadUnpacked"),
    )


class _ProbeTab(msgspec.Struct):
    """The tab that features are tried on."""

    session: Session
    shared: bool
    tasks: Tasks
    host: str = msgspec.field(default_factory=lambda: f"https://{secrets.token_hex(12)}.invalid/")

    @property
    def hold_s(self) -> float:
        return SHARED_HOLD_S if self.shared else HOLD_S

    def call(self, expression: str) -> asyncio.Task[Any]:
        """Start evaluating; the task returns the value once the page's call returns."""
        command = Runtime.evaluate(expression=expression, returnByValue=True)
        return self.tasks.start(_value_or_none(self.session.send(command, WITHIN_S)), expression)


@asynccontextmanager
async def _open_probe_tab(connection: Connection) -> AsyncIterator[_ProbeTab]:
    """Open a background tab; dismiss any open dialog and close it at the end."""
    made = await connection.send(Target.createTarget(url="about:blank", background=True), WITHIN_S)
    target, tasks = made["targetId"], Tasks()
    try:
        session, shared = await _attach(connection, target)
        await session.send(Page.enable(), WITHIN_S)
        # `read` retries if the first document is still being replaced.
        await session.read(Runtime.evaluate(expression=_SAVE_DIALOGS), WITHIN_S)
        try:
            yield _ProbeTab(session, shared, tasks)
        finally:
            await _succeeds(session, Page.handleJavaScriptDialog(accept=False))
            # Lightpanda applies auto-attach to the whole connection, even after the tab is gone.
            off = Target.setAutoAttach(autoAttach=False, waitForDebuggerOnStart=False, flatten=True)
            await _succeeds(session, off)
    finally:
        await tasks.close()
        gone = connection.root.expect(
            Target.detachedFromTarget, lambda p: p.get("targetId") == target, CLOSED_WITHIN_S
        )
        await _succeeds(connection.root, Target.closeTarget(targetId=target))
        if any(s.target_id == target for s in connection.sessions.values()):
            await _params_or_none(gone)  # or the supervisor would take it for a user's tab
        gone.cancel()


async def _attach(connection: Connection, target: str) -> tuple[Session, bool]:
    """Attach to a target; return our session, and whether another client has one too."""
    for session in connection.sessions.values():
        if session.target_id == target:
            return session, False  # some backends attach the client that opens a tab
    info = await connection.send(Target.getTargetInfo(targetId=target), WITHIN_S)
    attach = Target.attachToTarget(targetId=target, flatten=True)
    attached = await connection.send(attach, WITHIN_S)
    session = connection.sessions[SessionId(attached["sessionId"])]
    return session, bool(info["targetInfo"]["attached"])


async def _try_native(tab: _ProbeTab, found: BackendFeatures) -> BackendFeatures:
    """Test whether a native dialog is reported, stays open, and takes our answer."""
    opening = tab.session.expect(Page.javascriptDialogOpening, deadline=WITHIN_S)
    closed = asyncio.Event()
    leave = tab.session.on(Page.javascriptDialogClosed, lambda _: closed.set())
    returned = tab.call(f"confirm({_MESSAGE!r})")
    shown = tab.tasks.start(_params_or_none(opening), "a dialog shows")
    try:
        await asyncio.wait({returned, shown}, return_when=asyncio.FIRST_COMPLETED)
        # The event precedes the reply; if it has not come by now it never will.
        opens = opening.done() and await shown is not None
        await asyncio.wait({returned}, timeout=tab.hold_s)
        holds = opens and not returned.done() and not closed.is_set()
        taken = holds and await _succeeds(tab.session, Page.handleJavaScriptDialog(accept=True))
        return replace(
            found,
            reports_dialogs=opens,
            keeps_dialogs_open=holds,
            takes_answers=taken and await returned is True,
        )
    finally:
        leave()


async def _try_bridge(tab: _ProbeTab, mode: DialogMode) -> bool:
    """Install a bridge, call `prompt`, wait, answer, and compare what the page got."""
    event: EventName[Any] = Debugger.paused if mode == "debugger" else Fetch.requestPaused
    heard = tab.session.expect(event, deadline=WITHIN_S)
    try:
        if mode == "xhr":
            rule: Any = [bridge_pattern(tab.host)]
            await tab.session.send(Fetch.enable(patterns=rule), WITHIN_S)
        for command in install_commands(mode, tab.host):
            await tab.session.send(command, WITHIN_S)
        text = secrets.token_hex(4)
        returned = tab.call(f"prompt({_MESSAGE!r}, 'default')")
        asked = tab.tasks.start(_params_or_none(heard), "the bridge asks")
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
        return False  # the backend lacks a command that the bridge needs
    finally:
        heard.cancel()
        await _succeeds(tab.session, Command(f"{event.method.partition('.')[0]}.disable"))
        # A bridge that does not work falls back to the native dialog; dismiss it.
        await _succeeds(tab.session, Page.handleJavaScriptDialog(accept=False))
        await _succeeds(tab.session, Runtime.evaluate(expression=_RESTORE_DIALOGS))


async def _answer(
    tab: _ProbeTab, mode: DialogMode, params: Mapping[str, Any], text: str
) -> list[Command[Any]]:
    """Return the commands that answer the bridge's question."""
    if mode == "debugger":
        handle = params["callFrames"][0]["callFrameId"]
        read = {"callFrameId": handle, "expression": READ_QUESTION_EXPRESSION}
        said: Any = await tab.session.send(Command("Debugger.evaluateOnCallFrame", read), WITHIN_S)
        question = str(said["result"].get("value", ""))
    else:
        handle = params["requestId"]
        question = params["request"].get("postData", "")
    asked = parse_question(question, tab.session.id, "", handle, mode, 0.0)
    if asked is None or asked.message != _MESSAGE:
        return []
    dialog = Dialog(
        "probe", asked.type, asked.message, "", tab.session.id, "", "", "", "", 0.0, mode, handle
    )
    return answer_commands(dialog, True, text)


async def _try_frames(tab: _ProbeTab, found: BackendFeatures) -> BackendFeatures:
    """Test frames with a sandboxed iframe: it gets its own process without any network."""
    frames: list[str] = []
    leave = tab.session.on(Page.frameAttached, lambda e: frames.append(e.params["frameId"]))
    attached = tab.session.expect(
        Target.attachedToTarget,
        lambda params: params["targetInfo"]["type"] == "iframe",
        OOPIF_WITHIN_S,
    )
    try:
        flat = Target.setAutoAttach(autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        evaluates = await _succeeds(tab.session, flat) and await _succeeds(
            tab.session, Runtime.evaluate(expression=_ADD_FRAME)
        )
        tree = await _succeeds(tab.session, Page.getFrameTree()) and bool(frames)
        if not evaluates or not tree:
            return replace(found, frame_tree=tree)
        child = await _params_or_none(attached)
        session = tab.session.connection.sessions.get(child["sessionId"]) if child else None
        answer = session.send(Runtime.evaluate(expression="1 + 1"), WITHIN_S) if session else None
        return replace(
            found,
            frame_tree=tree,
            oopif_evaluate=answer is not None and await _value_or_none(answer) == 2,
        )
    finally:
        attached.cancel()
        leave()


async def _has_command(connection: Connection, method: str) -> bool:
    """Return whether the command exists: without parameters it fails, but not as unknown."""
    try:
        await connection.send(Command(method), WITHIN_S)
    except CommandFailed as error:
        return error.code != _METHOD_NOT_FOUND
    except ConnectionLost:
        raise
    except CdpError:
        return False
    return True


async def _succeeds(session: Session, command: Command[Any]) -> bool:
    """Send a command and return whether it succeeded."""
    try:
        await session.send(command, WITHIN_S)
    except ConnectionLost:
        raise
    except CdpError:
        return False
    return True


async def _value_or_none(reply: Reply[Any]) -> Any:
    """Return the value of an evaluation; None if it failed."""
    try:
        return (await reply)["result"].get("value")
    except CdpError:
        return None


async def _params_or_none(expectation: Any) -> Any:
    """Return the event's params; None if it did not come."""
    try:
        return await expectation
    except CdpError:
        return None
