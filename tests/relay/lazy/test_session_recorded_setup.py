"""A lazy session answers what real clients sent a real Chromium as that Chromium did.

`recorded_setup.json` holds, for each client, what it sent on one page's session while it connected
(a log between client and browser), what Chromium told before each reply, and the reply.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pilothouse.relay.lazy.session import LazySession

RECORDED: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "recorded_setup.json").read_text()
)
INFO = {"targetId": "TARGET", "type": "page", "title": "B", "url": "http://127.0.0.1:8000/b"}
# Made up, so different each time.
IDS = ("loaderId", "executionContextId")


def shape(value: Any) -> Any:
    """A result with the ids that nobody could know left out."""
    if isinstance(value, dict):
        return {key: ("…" if key in IDS else shape(one)) for key, one in value.items()}
    return value


@pytest.mark.parametrize("client", RECORDED)
def test_a_client_that_sets_a_page_up_hears_what_chromium_said(client: str) -> None:
    session = LazySession("L" + "0" * 31, INFO)
    for number, command in enumerate(RECORDED[client]):
        answer = session.answer(number, command["method"], command["params"])
        assert answer is not None, f"{command['method']} would attach the debugger"
        *events, reply = map(json.loads, answer.messages)
        assert [event["method"] for event in events] == command["events"], command["method"]
        assert reply["id"] == number
        assert shape(reply["result"]) == shape(command["result"]), command["method"]


@pytest.mark.parametrize("client", RECORDED)
def test_all_that_a_client_set_up_is_repeated_with_its_params(client: str) -> None:
    session = LazySession("L" + "0" * 31, INFO)
    for number, command in enumerate(RECORDED[client]):
        session.answer(number, command["method"], command["params"])
    replayed = {one.method: dict(one.params) for one in session.replay()}
    for command in RECORDED[client]:
        sent = replayed[command["method"]]
        assert command["params"].items() <= sent.items(), command["method"]
