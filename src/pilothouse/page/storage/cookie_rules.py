"""Which cookies are valid, and how they are shown. Pure.

Knows: the rules of RFC 6265bis that Chrome enforces, some of them silently (it replies with success
and drops the cookie), and the cookie form of Playwright's storageState files. Must not know:
browsers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn
from urllib.parse import urlsplit

from pilothouse.errors import ToolError, UsageError

__all__ = [
    "hide_values",
    "is_same_cookie",
    "matches_filter",
    "partition_key_of",
    "to_storage_state",
    "validate_cookie",
]

SAME_SITE = ("Strict", "Lax", "None")
LONGEST_NAME_AND_VALUE = 4096
LONGEST_ATTRIBUTE = 1024

_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "name": str,
    "value": str,
    "url": str,
    "domain": str,
    "path": str,
    "expires": (int, float),
    "httpOnly": bool,
    "secure": bool,
    "sameSite": str,
    "partitionKey": (str, dict),
}
# Other fields that browsers report about a cookie; ignored when they come back.
_IGNORED_FIELDS = frozenset(
    {
        "size",
        "session",
        "priority",
        "sourceScheme",
        "sourcePort",
        "partitionKeyOpaque",
        "sameParty",
        "_crHasCrossSiteAncestor",
    }
)
_FORBIDDEN = re.compile(r"[\x00-\x08\x0a-\x1f\x7f;]")
_DOMAIN = re.compile(r"\.?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_]([A-Za-z0-9_-]*)(\.[A-Za-z0-9_-]+)*\.?)$")


def validate_cookie(
    cookie: object, *, default_url: str = "", where: str = "cookie"
) -> dict[str, Any]:
    """Return the cookie as `Storage.setCookies` takes it. Raises ToolError that names the field."""
    if not isinstance(cookie, Mapping):
        raise UsageError(
            f"{where}: expected an object", hint='give {"name": ..., "value": ..., "url": ...}'
        )
    for field, value in cookie.items():
        kinds = _FIELDS.get(field)
        if kinds is None:
            if field in _IGNORED_FIELDS:
                continue
            _raise(where, str(field), "is not a field of a cookie", f"use {', '.join(_FIELDS)}")
        if value is not None and (
            not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool)
        ):
            _raise(where, field, f"has the wrong type {type(value).__name__}", f"give {kinds}")
    given = {f: v for f, v in cookie.items() if f in _FIELDS and v is not None}
    _check_text(given, where)
    checked = _add_site(given, default_url, where)
    _check_attributes(checked, where)
    if "partitionKey" in given:
        checked["partitionKey"] = _parse_partition_key(given["partitionKey"], cookie)
    # storageState files write -1 for session cookies.
    if checked.get("expires", -1) < 0:
        checked.pop("expires", None)
    return checked


def _check_text(given: Mapping[str, Any], where: str) -> None:
    for field in ("name", "value"):
        if field not in given:
            _raise(where, field, "is missing", "give a name and a value")
        if _FORBIDDEN.search(given[field]):
            _raise(where, field, "contains a forbidden character", "remove ; and line breaks")
    if not given["name"] and not given["value"]:
        _raise(where, "name", "is empty and so is the value", "give a name")
    if "=" in given["name"]:
        _raise(where, "name", "contains =", "remove it; the rest would become the value")
    if len((given["name"] + given["value"]).encode("utf-8", "replace")) > LONGEST_NAME_AND_VALUE:
        _raise(
            where,
            "value",
            f"and name are longer than {LONGEST_NAME_AND_VALUE} bytes",
            "shorten the value",
        )
    for field in ("domain", "path"):
        if len(given.get(field, "")) > LONGEST_ATTRIBUTE:
            _raise(where, field, f"is longer than {LONGEST_ATTRIBUTE} characters", "shorten it")


def _add_site(given: Mapping[str, Any], default_url: str, where: str) -> dict[str, Any]:
    """Return the cookie with its site: its own domain and path, or those of a URL."""
    cookie = dict(given)
    if "domain" not in cookie and "url" not in cookie:
        if not default_url:
            _raise(where, "domain", "and url are missing", "give the URL or the domain of its site")
        cookie["url"] = default_url
    if "domain" in cookie:
        cookie.pop("url", None)
        cookie["domain"] = _to_ascii(cookie["domain"])
        if not _DOMAIN.match(cookie["domain"]):
            _raise(
                where,
                "domain",
                f"{cookie['domain']!r} is not a host",
                'give one such as ".example.com"',
            )
        cookie.setdefault("path", "/")
    else:
        parts = urlsplit(cookie["url"])
        if parts.scheme not in ("http", "https") or not parts.hostname:
            _raise(
                where,
                "url",
                f"{cookie['url']!r} is not an http(s) URL",
                "give a URL or a domain",
            )
        cookie.setdefault("secure", parts.scheme == "https")
    if not cookie.get("path", "/").startswith("/"):
        _raise(where, "path", "does not start with /", 'give a path such as "/" or "/shop"')
    return cookie


def _to_ascii(domain: str) -> str:
    """Return a host in IDNA form: `münchen.de` becomes `xn--mnchen-3ya.de`."""
    try:
        return domain if domain.isascii() else domain.encode("idna").decode()
    except UnicodeError:
        return domain


def _check_attributes(cookie: dict[str, Any], where: str) -> None:
    name, secure = cookie["name"], cookie.get("secure", False)
    if "sameSite" in cookie:
        known = [s for s in SAME_SITE if s.lower() == cookie["sameSite"].lower()]
        if not known:
            _raise(
                where,
                "sameSite",
                f"{cookie['sameSite']!r} is not a SameSite value",
                f"one of {', '.join(SAME_SITE)}",
            )
        cookie["sameSite"] = known[0]
        if known[0] == "None" and not secure:
            _raise(
                where, "secure", "is false, which Chrome refuses with sameSite None", "set secure"
            )
    if name.lower().startswith(("__secure-", "__host-")) and not secure:
        _raise(
            where,
            "secure",
            f"is false, which the name {name!r} forbids",
            "set secure, or rename the cookie",
        )
    if name.lower().startswith("__host-"):
        if cookie.get("domain", "").startswith(".") or cookie.get("path", "/") != "/":
            _raise(
                where,
                "domain",
                "or path is not allowed for __Host-",
                "use no leading dot and the path /",
            )
        if "domain" in cookie:
            # Chrome reads any domain as one with subdomains; a URL means the host alone.
            cookie["url"] = f"https://{cookie.pop('domain')}/"


def _parse_partition_key(key: Any, cookie: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(key, str):
        return {
            "topLevelSite": key,
            "hasCrossSiteAncestor": bool(cookie.get("_crHasCrossSiteAncestor", False)),
        }
    return {
        "topLevelSite": str(key.get("topLevelSite", "")),
        "hasCrossSiteAncestor": bool(key.get("hasCrossSiteAncestor", False)),
    }


def _raise(where: str, field: str, what: str, hint: str) -> NoReturn:
    raise ToolError(f"{where}: {field} {what}", hint=hint)


def partition_key_of(cookie: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the top-level site and cross-site flag of a partitioned cookie; empty for most."""
    key = cookie.get("partitionKey") or {}
    return str(key.get("topLevelSite", "")), bool(key.get("hasCrossSiteAncestor", False))


def is_same_cookie(wanted: Mapping[str, Any], stored: Mapping[str, Any]) -> bool:
    """Whether a stored cookie is the one that was set."""
    host = urlsplit(wanted["url"]).hostname if "url" in wanted else wanted.get("domain", "")
    path = wanted.get("path", stored["path"])
    return (
        wanted["name"] == stored["name"]
        and wanted["value"].strip() == stored["value"].strip()
        and _normalize_domain(str(host)) == _normalize_domain(stored["domain"])
        and path == stored["path"]
    )


def matches_filter(cookie: Mapping[str, Any], name: str, domain: str, path: str) -> bool:
    """Whether a stored cookie matches; empty filters match everything."""
    return (
        name in ("", cookie["name"])
        and path in ("", cookie["path"])
        and (not domain or _normalize_domain(domain) == _normalize_domain(cookie["domain"]))
    )


def _normalize_domain(domain: str) -> str:
    return domain.lstrip(".").rstrip(".").strip("[]").lower()


def to_storage_state(cookie: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored cookie as a storageState file holds it."""
    form = {
        "name": cookie["name"],
        "value": cookie["value"],
        "domain": cookie["domain"],
        "path": cookie["path"],
        "expires": cookie["expires"] if not cookie.get("session") else -1,
        "httpOnly": cookie["httpOnly"],
        "secure": cookie["secure"],
        # Browsers treat a missing sameSite as Lax, and storageState files always have one.
        "sameSite": cookie.get("sameSite", "Lax"),
    }
    site, crossed = partition_key_of(cookie)
    if site:
        form |= {"partitionKey": site, "_crHasCrossSiteAncestor": crossed}
    return form


def hide_values(cookies: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return cookies for display: their values replaced by their lengths."""
    fields = ("name", "domain", "path", "expires", "httpOnly", "secure", "sameSite")
    return [
        {
            **{field: cookie[field] for field in fields if field in cookie},
            "value": f"[{len(cookie['value'])} characters]",
        }
        for cookie in cookies
    ]
