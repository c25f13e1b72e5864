"""Make a tool's answer serializable as JSON. Pure.

Built-in tools return plain values, apart from lone surrogates that a page may contain. A plugin may
return anything. Knows: JSON. Must not know: tools.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["json_safe"]


def json_safe(value: Any) -> Any:
    """Return the value with valid UTF-8 texts, finite numbers and string keys. Bytes become base64,
    other objects their `str`."""
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {_text(str(key)): json_safe(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [json_safe(inner) for inner in value]
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    return _text(str(value))


def _text(text: str) -> str:
    """Return the text with each lone surrogate replaced by a question mark."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
