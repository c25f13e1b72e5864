"""Formats JavaScript values (`Runtime.RemoteObject`) from the previews in Chrome's events. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["describe_value", "format_console_call"]

ARGUMENTS_SHOWN = 32

# For these subtypes the description is more useful than the previewed properties.
_USE_DESCRIPTION = frozenset({"error", "node", "regexp", "date"})

_PLACEHOLDER = re.compile(r"%([sdifoOc%])")

Value = Mapping[str, Any]


def format_console_call(arguments: Sequence[Value], limit: int) -> str:
    """Format the arguments of a console call as one text of at most `limit` characters."""
    shown = list(arguments[:ARGUMENTS_SHOWN])
    text = ""
    if shown and isinstance(shown[0].get("value"), str):
        text, used = _fill_placeholders(str(shown[0]["value"]), shown[1:])
        shown = shown[1 + used :]
        text = " ".join([text, *map(describe_value, shown)])
    else:
        text = " ".join(map(describe_value, shown))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def describe_value(value: Value) -> str:
    """Format one value: as JSON if possible, else as Chrome's preview or description."""
    if "value" in value:
        plain = value["value"]
        return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    preview = value.get("preview")
    if isinstance(preview, dict) and value.get("subtype") not in _USE_DESCRIPTION:
        return _format_preview(preview)
    return str(value.get("description") or value.get("className") or value.get("type") or "")


def _fill_placeholders(text: str, arguments: Sequence[Value]) -> tuple[str, int]:
    """Fill the `%s`-style placeholders; return the text and how many arguments it used."""
    left = list(arguments)

    def fill(found: re.Match[str]) -> str:
        if found[1] == "%":
            return "%"
        if not left:
            return found[0]
        value = describe_value(left.pop(0))
        return "" if found[1] == "c" else value

    return _PLACEHOLDER.sub(fill, text), len(arguments) - len(left)


def _format_preview(preview: Value) -> str:
    described_as = str(preview.get("description", ""))
    more = ["…"] if preview.get("overflow") else []
    if "entries" in preview:
        pairs = [
            " => ".join(_format_preview(e[side]) for side in ("key", "value") if side in e)
            for e in preview["entries"]
        ]
        return f"{described_as} {{{', '.join(pairs + more)}}}"
    properties = preview.get("properties")
    if preview.get("type") == "string":
        return json.dumps(described_as, ensure_ascii=False)
    if properties is None or preview.get("type") != "object":
        return described_as
    if preview.get("subtype") == "array":
        return f"[{', '.join([_format_property(p) for p in properties] + more)}]"
    inside = [f"{p.get('name', '')}: {_format_property(p)}" for p in properties]
    name = "" if described_as == "Object" else f"{described_as} "
    return f"{name}{{{', '.join(inside + more)}}}"


def _format_property(prop: Value) -> str:
    text = str(prop.get("value", ""))
    match prop.get("type"):
        case "string":
            return json.dumps(text, ensure_ascii=False)
        case "function":
            return "function"
        case "accessor":
            return "(getter)"
    return text or str(prop.get("type", ""))
