"""Values that live in a page, put into words from what Chrome tells about them unasked. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["described", "in_words"]

ARGUMENTS_SHOWN = 32

# Their description tells more than their properties do.
_TELLING = frozenset({"error", "node", "regexp", "date"})

_PLACEHOLDER = re.compile(r"%([sdifoOc%])")

Value = Mapping[str, Any]


def in_words(arguments: Sequence[Value], limit: int) -> str:
    """The arguments of one console call as one text of at most `limit` characters."""
    shown = list(arguments[:ARGUMENTS_SHOWN])
    text = ""
    if shown and isinstance(shown[0].get("value"), str):
        text, used = _filled(str(shown[0]["value"]), shown[1:])
        shown = shown[1 + used :]
        text = " ".join([text, *map(described, shown)])
    else:
        text = " ".join(map(described, shown))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def described(value: Value) -> str:
    """One value: itself if JSON can say it, else what Chrome shows of it."""
    if "value" in value:
        plain = value["value"]
        return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    preview = value.get("preview")
    if isinstance(preview, dict) and value.get("subtype") not in (
        "error",
        "node",
        "regexp",
        "date",
    ):
        return _previewed(preview)
    return str(value.get("description") or value.get("className") or value.get("type") or "")


def _filled(text: str, arguments: Sequence[Value]) -> tuple[str, int]:
    """The text with its placeholders filled, and how many arguments that took."""
    left = list(arguments)

    def fill(found: re.Match[str]) -> str:
        if found[1] == "%":
            return "%"
        if not left:
            return found[0]
        value = described(left.pop(0))
        return "" if found[1] == "c" else value

    return _PLACEHOLDER.sub(fill, text), len(arguments) - len(left)


def _previewed(preview: Value) -> str:
    described_as = str(preview.get("description", ""))
    more = ["…"] if preview.get("overflow") else []
    if "entries" in preview:
        pairs = [
            " => ".join(_previewed(e[side]) for side in ("key", "value") if side in e)
            for e in preview["entries"]
        ]
        return f"{described_as} {{{', '.join(pairs + more)}}}"
    properties = preview.get("properties")
    if preview.get("type") == "string":
        return json.dumps(described_as, ensure_ascii=False)
    if properties is None or preview.get("type") != "object":
        return described_as
    if preview.get("subtype") == "array":
        return f"[{', '.join([_property(p) for p in properties] + more)}]"
    inside = [f"{p.get('name', '')}: {_property(p)}" for p in properties]
    name = "" if described_as == "Object" else f"{described_as} "
    return f"{name}{{{', '.join(inside + more)}}}"


def _property(prop: Value) -> str:
    text = str(prop.get("value", ""))
    match prop.get("type"):
        case "string":
            return json.dumps(text, ensure_ascii=False)
        case "function":
            return "function"
        case "accessor":
            return "(getter)"
    return text or str(prop.get("type", ""))
