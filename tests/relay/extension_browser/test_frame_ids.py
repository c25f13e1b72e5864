"""A frame's id is renamed where the protocol has an id, and nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pilothouse.relay.extension_browser.frame_ids import rename_frames

SHOWN, REAL = "A" * 32, "B" * 32
NAMES = {REAL.encode(): SHOWN.encode()}


def renamed(value: Any) -> Any:
    """A value on its way to the client."""
    return json.loads(rename_frames(json.dumps(value).encode(), NAMES))


@pytest.mark.parametrize(
    "value",
    [
        {"frameId": "ID", "loaderId": "L"},
        {"frameTree": {"frame": {"id": "ID"}, "childFrames": [{"frame": {"parentId": "ID"}}]}},
        {"frame": {"id": "ID", "url": "https://a.test/"}, "type": "Navigation"},
        {"context": {"id": 1, "auxData": {"frameId": "ID", "isDefault": True}}},
        {"targetInfo": {"targetId": "T", "openerFrameId": "ID", "parentFrameId": "ID"}},
        {"root": {"children": [{"nodeName": "IFRAME", "frameId": "ID"}]}},
        {"versions": [{"controlledClients": ["ID", "other"]}]},
        {"documents": [{"frameId": 1}], "strings": ["text", "ID"]},
    ],
)
def test_an_id_in_a_field_for_ids_is_renamed(value: Any) -> None:
    text = json.dumps(value)
    assert renamed(json.loads(text.replace("ID", REAL))) == json.loads(text.replace("ID", SHOWN))


@pytest.mark.parametrize(
    "value",
    [
        {"result": {"type": "string", "value": f"the frame {REAL}"}},
        {"result": {"type": "string", "value": REAL}},
        {"result": {"type": "object", "value": {"frameId": REAL, "frame": {"id": REAL}}}},
        {"result": {"type": "object", "value": [{"frameId": REAL}]}},
        {"request": {"url": f"https://a.test/{REAL}", "headers": {"frameId": REAL}}},
        {"body": json.dumps({"frameId": REAL}), "base64Encoded": False},
        {"name": "ring", "payload": json.dumps({"targetId": REAL})},
        {"outerHTML": f'<p id="{REAL}">{REAL}</p>'},
        {"documents": [{"frameId": 1}], "strings": [f"see {REAL}", "other"]},
    ],
)
def test_words_of_the_page_are_never_changed(value: Any) -> None:
    assert renamed(value) == value


def test_what_needs_no_change_keeps_every_byte() -> None:
    odd = b'{"frameId" : "%b", "n": 1.50e+3, "t": "\\u00fc",  "deep": {"a" :1}}'
    before = odd % REAL.encode()
    after = rename_frames(before, NAMES)
    assert b"1.50e+3" in after
    assert b'"\\u00fc"' in after
    assert b'{"a" :1}' in after
    assert rename_frames(odd % b"other", NAMES) == odd % b"other"


def test_a_message_that_is_not_json_stays_as_it_is() -> None:
    broken = b'{"frameId":"%b"' % REAL.encode()
    assert rename_frames(broken, NAMES) == broken
