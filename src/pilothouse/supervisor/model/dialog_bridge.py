"""The dialog bridges: what is installed in a document, what it says, how it is answered. Pure.

The browser's own dialogs cannot be held everywhere: some backends dismiss them, and one of an
out-of-process frame is lost (with the browser) when its frame goes or a second one opens. There
a script stands in for `alert`, `confirm` and `prompt`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from pilothouse.cdp.message import Command, SessionId
from pilothouse.supervisor.model.events import DialogOpened
from pilothouse.supervisor.model.state import Dialog

__all__ = [
    "MARK",
    "READ_QUESTION",
    "Mode",
    "answer_commands",
    "bridge_script",
    "install_commands",
    "is_our_pause",
    "pattern",
    "read_question",
]

Mode = Literal["native", "debugger", "xhr"]

MARK = "__pilothouse_dialogs__"
# Whoever reads answers for it: should the page be let go without an answer (it navigates, the
# connection drops), it was dismissed and must not ask again.
READ_QUESTION = (
    '__pilothouse_answer = {accept: false, text: ""}, JSON.stringify(__pilothouse_question)'
)

_SOURCE = Path(__file__).with_name("dialog_bridge.js").read_text("utf-8")


def bridge_script(mode: Mode, host: str) -> str:
    """The script for one document. `host` is an https URL nobody else knows."""
    return _SOURCE.replace("__MODE__", mode).replace("__HOST__", host)


def pattern(host: str) -> dict[str, str]:
    """Which requests the XHR bridge must see stopped."""
    return {"urlPattern": f"{host}*", "requestStage": "Request"}


def install_commands(mode: Mode, host: str) -> list[Command[Any]]:
    """What to send on a session, before its first script, to bridge all of its documents.
    The request filter of the XHR bridge belongs to `Fetch.enable`, which has one owner."""
    if mode == "native":
        return []
    script = {"source": bridge_script(mode, host), "runImmediately": True}
    commands: list[Command[Any]] = []
    if mode == "debugger":
        # The page's own `debugger` statements never stop it: everything but our script is
        # blackboxed, code without a name too.
        unseen = {"patterns": [f"^(?!{MARK}).*$"], "skipAnonymous": True}
        commands = [Command("Debugger.enable"), Command("Debugger.setBlackboxPatterns", unseen)]
    return [*commands, Command("Page.addScriptToEvaluateOnNewDocument", script)]


def is_our_pause(params: Mapping[str, Any]) -> str:
    """The call frame to ask, if the page stopped in our script. Chrome leaves a call frame's
    address empty, so the function's name tells; a page that uses it says nothing readable."""
    frames = params.get("callFrames") or [{}]
    ours = frames[0].get("functionName") == "byDebugger"
    return str(frames[0].get("callFrameId", "")) if ours else ""


def read_question(
    text: str, session: SessionId, frame: str, handle: str, via: Mode, at: float
) -> DialogOpened | None:
    """What the script said; None when the page made it up wrong."""
    try:
        said = msgspec.json.decode(text)
        return DialogOpened(
            at,
            session,
            frame,
            str(said["type"]),
            str(said["message"]),
            str(said["default"]),
            str(said["url"]),
            via,
            handle,
            str(said["key"]),
        )
    except (msgspec.DecodeError, KeyError, TypeError):
        return None


def answer_commands(dialog: Dialog, accept: bool, text: str | None) -> list[Command[Any]]:
    """How the answer reaches the page; the first command's reply says whether it did."""
    answer = json.dumps({"accept": accept, "text": text or ""})
    match dialog.via:
        case "debugger":
            set_answer = f"__pilothouse_answer = {answer}"
            where = {"callFrameId": dialog.handle, "expression": set_answer}
            return [Command("Debugger.evaluateOnCallFrame", where), Command("Debugger.resume")]
        case "xhr":
            reply = {
                "requestId": dialog.handle,
                "responseCode": 200,
                "responseHeaders": [
                    {"name": "Access-Control-Allow-Origin", "value": "*"},
                    {"name": "Cache-Control", "value": "no-store"},
                ],
                "body": base64.b64encode(answer.encode()).decode(),
            }
            return [Command("Fetch.fulfillRequest", reply)]
    params: dict[str, Any] = {"accept": accept}
    if text is not None:
        params["promptText"] = text
    return [Command("Page.handleJavaScriptDialog", params)]
