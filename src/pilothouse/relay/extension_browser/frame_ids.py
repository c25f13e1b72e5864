"""Renames the main frame of a prerendered tab in CDP messages, in the fields that hold ids. Pure.

Knows: which fields hold frame and target ids, and which hold values of the page. Must not know:
whose ids these are. Only objects that contain an id are decoded; the rest stays as it is, byte by
byte. Text of the page that contains or equals an id is never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

__all__ = ["rename_frames"]

# Everything of the protocol's types Page.FrameId and Target.TargetID. `id` is one in Page.Frame.
_ID_FIELDS: Final = frozenset(
    {
        "controlledClients",
        "frameId",
        "mainFrameId",
        "openerFrameId",
        "openerId",
        "parentFrameId",
        "parentId",
        "targetId",
    }
)
_FRAME = "frame"
# Objects whose keys and values are the page's: results by value, arguments, HTTP headers.
_PAGE_VALUES: Final = frozenset({"headers", "value"})
# The shared strings of DOMSnapshot: an entry that is exactly a frame's id is the frame's.
_SNAPSHOT: Final = frozenset({"documents", "strings"})

_object = msgspec.json.Decoder(dict[str, msgspec.Raw])
_list = msgspec.json.Decoder(list[msgspec.Raw])
_encode = msgspec.json.Encoder().encode


def rename_frames(message: bytes, names: Mapping[bytes, bytes]) -> bytes:
    """Return a message with other ids in its id fields. An unreadable message stays as it is."""
    if not any(name in message for name in names):
        return message
    try:
        return bytes(_rename(msgspec.Raw(message), names))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return message


def _rename(
    raw: msgspec.Raw, names: Mapping[bytes, bytes], field: str = "", parent: str = ""
) -> msgspec.Raw:
    text = bytes(raw).strip()
    if not any(name in text for name in names):
        return raw
    if text.startswith(b"{") and field not in _PAGE_VALUES:
        known = _object.decode(text)
        snapshot = known.keys() >= _SNAPSHOT
        return msgspec.Raw(
            _encode(
                {
                    key: _rename_strings(one, names)
                    if snapshot and key == "strings"
                    else _rename(one, names, key, field)
                    for key, one in known.items()
                }
            )
        )
    if text.startswith(b"[") and field not in _PAGE_VALUES:
        ones = [_rename(one, names, field, parent) for one in _list.decode(text)]
        return msgspec.Raw(_encode(ones))
    if field in _ID_FIELDS or (field == "id" and parent == _FRAME):
        return _renamed(raw, text, names)
    return raw


def _rename_strings(raw: msgspec.Raw, names: Mapping[bytes, bytes]) -> msgspec.Raw:
    ones = [_renamed(one, bytes(one).strip(), names) for one in _list.decode(raw)]
    return msgspec.Raw(_encode(ones))


def _renamed(raw: msgspec.Raw, text: bytes, names: Mapping[bytes, bytes]) -> msgspec.Raw:
    name = names.get(text[1:-1]) if text.startswith(b'"') else None
    return raw if name is None else msgspec.Raw(b'"%b"' % name)
