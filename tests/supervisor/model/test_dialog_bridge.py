"""The dialog bridges: what is installed, what is asked, how it is answered."""

from __future__ import annotations

import base64
import json

import pytest
from msgspec.structs import replace

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model.dialog_bridge import (
    MARK,
    answer_commands,
    bridge_call_frame,
    bridge_pattern,
    bridge_script,
    install_commands,
    parse_question,
)
from pilothouse.supervisor.model.state import Dialog
from tests.supervisor.step_driver_and_events import Dialogue, bridged, page

HOST = "https://secret.invalid/"
S = SessionId("s")
QUESTION = {"key": "1.5", "type": "prompt", "message": "m", "default": "d", "url": "https://x/"}


def dialog(via: str) -> Dialog:
    """One that is held this way."""
    talk = Dialogue(page(), replace(bridged(session=SessionId("page")), via=via, handle="h"))
    return talk.state.dialogs["d-1"]


def test_script_knows_its_mode_and_its_host() -> None:
    script = bridge_script("xhr", HOST)
    assert f'("xhr", "{HOST}")' in script
    assert MARK in script
    assert bridge_pattern(HOST)["urlPattern"] == f"{HOST}*"


def test_nothing_is_installed_for_native_dialogs() -> None:
    assert install_commands("native", HOST) == []


def test_debugger_bridge_hides_the_pages_own_statements_first() -> None:
    methods = [command.method for command in install_commands("debugger", HOST)]
    assert methods == [
        "Debugger.enable",
        "Debugger.setBlackboxPatterns",
        "Page.addScriptToEvaluateOnNewDocument",
    ]


def test_pause_is_ours_only_in_our_script() -> None:
    ours = {"callFrames": [{"callFrameId": "c", "functionName": "byDebugger"}]}
    assert bridge_call_frame(ours) == "c"
    assert bridge_call_frame({"callFrames": [{"callFrameId": "c", "functionName": "loop"}]}) == ""
    assert bridge_call_frame({"callFrames": []}) == ""
    assert bridge_call_frame({}) == ""


def test_question_becomes_a_dialog_of_its_frame() -> None:
    asked = parse_question(json.dumps(QUESTION), S, "F", "h", "xhr", 1.0)
    assert asked is not None
    assert (asked.type, asked.message, asked.default_prompt) == ("prompt", "m", "d")
    assert (asked.frame, asked.handle, asked.via, asked.key) == ("F", "h", "xhr", "1.5")


@pytest.mark.parametrize("text", ["", "nonsense", "1", "[]", '{"type":"alert"}', "null"])
def test_question_a_page_made_up_wrong_is_none(text: str) -> None:
    assert parse_question(text, S, "F", "h", "xhr", 1.0) is None


def test_native_prompt_is_given_its_text_only_when_there_is_one() -> None:
    (command,) = answer_commands(dialog("native"), True, "ann")
    assert (command.method, command.params) == (
        "Page.handleJavaScriptDialog",
        {"accept": True, "promptText": "ann"},
    )
    (command,) = answer_commands(dialog("native"), False, None)
    assert command.params == {"accept": False}


def test_request_is_fulfilled_for_every_origin_and_kept_by_no_cache() -> None:
    (command,) = answer_commands(dialog("xhr"), True, "ann")
    assert command.params is not None
    assert command.params["requestId"] == "h"
    said = json.loads(base64.b64decode(command.params["body"]))
    assert said == {"accept": True, "text": "ann"}
    names = {h["name"]: h["value"] for h in command.params["responseHeaders"]}
    assert names["Access-Control-Allow-Origin"] == "*"


def test_stopped_call_is_given_its_answer_and_goes_on() -> None:
    evaluate, resume = answer_commands(dialog("debugger"), False, None)
    assert evaluate.params is not None
    assert evaluate.params["callFrameId"] == "h"
    assert '{"accept": false, "text": ""}' in evaluate.params["expression"]
    assert resume.method == "Debugger.resume"
