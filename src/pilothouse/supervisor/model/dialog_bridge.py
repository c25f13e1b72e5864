"""The dialog bridges: the script for a document, how to parse its questions and answer them. Pure.

A bridge is a script that replaces `alert`, `confirm` and `prompt` and waits for our answer. We need
one where native dialogs cannot be kept open: some backends dismiss them. And a native dialog of an
out-of-process frame crashes the browser when its frame is removed or a second dialog opens.

    debugger  the script stops at a `debugger` statement; we read and set its variables
    xhr       the script sends a synchronous request to a secret URL; we pause and fulfil it
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
    "READ_QUESTION_EXPRESSION",
    "DialogMode",
    "answer_commands",
    "bridge_call_frame",
    "bridge_pattern",
    "bridge_script",
    "install_commands",
    "parse_question",
]

DialogMode = Literal["native", "debugger", "xhr"]

MARK = "__pilothouse_dialogs__"
# Reading also stores a dismissal: if the page resumes without our answer (it navigates, or the
# connection drops), the dialog counts as dismissed and the page does not ask again.
READ_QUESTION_EXPRESSION = (
    '__pilothouse_answer = {accept: false, text: ""}, JSON.stringify(__pilothouse_question)'
)

# A function expression.
_SOURCE = Path(__file__).with_name("dialog_bridge.js").read_text("utf-8")


def bridge_script(mode: DialogMode, host: str) -> str:
    """Return the script for one document. `host` is a secret https URL."""
    given = f"{json.dumps(mode)}, {json.dumps(host)}"
    return f"(\n{_SOURCE})({given});\n//# sourceURL={MARK}\n"


def bridge_pattern(host: str) -> dict[str, str]:
    """Return the `Fetch` pattern that pauses the requests of the XHR bridge."""
    return {"urlPattern": f"{host}*", "requestStage": "Request"}


def install_commands(mode: DialogMode, host: str) -> list[Command[Any]]:
    """Return the commands that bridge all documents of a session; send them before its first
    script. The XHR bridge's pattern is not among them: a session has one `Fetch.enable` for all
    patterns."""
    if mode == "native":
        return []
    script = {"source": bridge_script(mode, host), "runImmediately": True}
    commands: list[Command[Any]] = []
    if mode == "debugger":
        # Blackbox everything but our script, anonymous code too, so that the page's own `debugger`
        # statements do not stop it.
        unseen = {"patterns": [f"^(?!{MARK}).*$"], "skipAnonymous": True}
        commands = [Command("Debugger.enable"), Command("Debugger.setBlackboxPatterns", unseen)]
    return [*commands, Command("Page.addScriptToEvaluateOnNewDocument", script)]


def bridge_call_frame(params: Mapping[str, Any]) -> str:
    """Return the call frame id if the page stopped in our script, else "". Chrome leaves the URL of
    the call frame empty, so the function's name decides. A page that copies the name yields a
    question that does not parse."""
    frames = params.get("callFrames") or [{}]
    ours = frames[0].get("functionName") == "byDebugger"
    return str(frames[0].get("callFrameId", "")) if ours else ""


def parse_question(
    text: str, session: SessionId, frame: str, handle: str, via: DialogMode, at: float
) -> DialogOpened | None:
    """Parse the question of a bridge; None if it is malformed, as from a page that imitates us."""
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
    """Return the commands that deliver an answer; the reply to the first says whether it worked."""
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
