"""Saved browser state as a value. Pure.

Knows: the JSON of Playwright's storageState (cookies; origins with localStorage), with
sessionStorage as our only addition. Must not know: files, browsers. A state is validated as a whole
before any part of it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from pilothouse.errors import UsageError
from pilothouse.page.storage.cookie_rules import to_storage_state, validate_cookie

__all__ = ["OriginState", "SavedState", "build_state", "origin_of", "parse_origin", "parse_state"]

_HINT = "give a file that save_state wrote, or a Playwright storageState file"


class OriginState(msgspec.Struct, frozen=True):
    """What one origin stores. None means that the file says nothing about it."""

    origin: str
    local: Mapping[str, str] | None = None
    session: Mapping[str, str] | None = None


class SavedState(msgspec.Struct, frozen=True):
    """A validated state. `ignored` names the parts that are not restored."""

    cookies: tuple[dict[str, Any], ...] = ()
    origins: tuple[OriginState, ...] = ()
    ignored: tuple[str, ...] = ()


def parse_origin(origin: str) -> str:
    """Return a web origin in the form of a page's `self.origin`. Raises ToolError otherwise."""
    found = origin_of(origin)
    parts = urlsplit(origin)
    if not found or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise UsageError(
            f"{origin!r} is not a web origin", hint='give one such as "https://example.com"'
        )
    return found


def origin_of(url: str) -> str:
    """Return the origin of an http(s) URL; empty for any other."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    host = parts.hostname
    if parts.scheme not in ("http", "https") or not host:
        return ""
    host = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, usual) else "")


def parse_state(data: object) -> SavedState:
    """Parse a decoded state file. Raises ToolError that names the first mistake."""
    if not isinstance(data, Mapping):
        raise UsageError("state: expected an object", hint=_HINT)
    unknown = [str(key) for key in data if key not in ("cookies", "origins")]
    if "cookies" not in data and "origins" not in data:
        raise UsageError("state: neither cookies nor origins", hint=_HINT)
    cookies = [
        validate_cookie(cookie, where=f"cookies[{index}]")
        for index, cookie in enumerate(_list(data, "cookies", "cookies"))
    ]
    origins: list[OriginState] = []
    for index, entry in enumerate(_list(data, "origins", "origins")):
        where = f"origins[{index}]"
        if not isinstance(entry, Mapping) or not isinstance(entry.get("origin"), str):
            raise UsageError(f"{where}.origin: expected a string", hint=_HINT)
        known = ("origin", "localStorage", "sessionStorage")
        unknown += [f"{where}.{key}" for key in entry if key not in known]
        origins.append(
            OriginState(
                parse_origin(entry["origin"]),
                _items(entry, "localStorage", where),
                _items(entry, "sessionStorage", where),
            )
        )
    names = [state.origin for state in origins]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"origins: {', '.join(twice)} occurs twice", hint="merge the entries")
    return SavedState(tuple(cookies), tuple(origins), tuple(unknown))


def _list(data: Mapping[str, Any], key: str, where: str) -> list[Any]:
    value = data.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise UsageError(f"{where}: expected a list", hint=_HINT)
    return value


def _items(entry: Mapping[str, Any], key: str, where: str) -> dict[str, str] | None:
    if entry.get(key) is None:
        return None
    items: dict[str, str] = {}
    for index, item in enumerate(_list(entry, key, f"{where}.{key}")):
        fine = isinstance(item, Mapping) and all(
            isinstance(item.get(part), str) for part in ("name", "value")
        )
        if not fine:
            raise UsageError(
                f"{where}.{key}[{index}] : expected name and value as strings", hint=_HINT
            )
        items[item["name"]] = item["value"]
    return items


def build_state(
    cookies: Iterable[Mapping[str, Any]], origins: Iterable[OriginState]
) -> dict[str, Any]:
    """Return the JSON object of a state, without origins that store nothing."""
    entries = []
    for state in origins:
        entry: dict[str, Any] = {"origin": state.origin, "localStorage": _pairs(state.local)}
        if state.session:
            entry["sessionStorage"] = _pairs(state.session)
        if entry["localStorage"] or state.session:
            entries.append(entry)
    return {"cookies": [to_storage_state(cookie) for cookie in cookies], "origins": entries}


def _pairs(items: Mapping[str, str] | None) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in (items or {}).items()]
