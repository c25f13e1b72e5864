"""Which cookies make sense, and how they are shown: pure.

Knows: the rules of RFC 6265bis that Chrome enforces, partly without saying so (it answers "done" to
some cookies and drops them), and the cookie form of Playwright's storageState files. Must not
know: browsers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn
from urllib.parse import urlsplit

from pilothouse.errors import ToolError

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
# What a browser tells about a cookie beside that: harmless when it comes back.
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
    """The cookie as Chrome's setCookies takes it. Raises ToolError that names the field."""
    if not isinstance(cookie, Mapping):
        raise ToolError(
            f"{where} is no object", hint='give {"name": ..., "value": ..., "url": ...}'
        )
    for field, value in cookie.items():
        kinds = _FIELDS.get(field)
        if kinds is None:
            if field in _IGNORED_FIELDS:
                continue
            _raise(where, str(field), "is no field of a cookie", f"fields: {', '.join(_FIELDS)}")
        if value is not None and (
            not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool)
        ):
            _raise(where, field, f"has the wrong type {type(value).__name__}", f"{kinds} is wanted")
    given = {f: v for f, v in cookie.items() if f in _FIELDS and v is not None}
    _check_text(given, where)
    checked = _add_site(given, default_url, where)
    _check_attributes(checked, where)
    if "partitionKey" in given:
        checked["partitionKey"] = _parse_partition_key(given["partitionKey"], cookie)
    if checked.get("expires", -1) < 0:
        checked.pop("expires", None)
    return checked


def _check_text(given: Mapping[str, Any], where: str) -> None:
    for field in ("name", "value"):
        if field not in given:
            _raise(where, field, "is missing", "a cookie has a name and a value")
        if _FORBIDDEN.search(given[field]):
            _raise(where, field, "holds a character no cookie can", "leave out ; and line breaks")
    if not given["name"] and not given["value"]:
        _raise(where, "name", "is empty and so is the value", "name the cookie")
    if "=" in given["name"]:
        _raise(where, "name", "holds a =", "everything after it would become the value")
    if len((given["name"] + given["value"]).encode("utf-8", "replace")) > LONGEST_NAME_AND_VALUE:
        _raise(
            where, "value", f"is over {LONGEST_NAME_AND_VALUE} bytes with its name", "shorten it"
        )
    for field in ("domain", "path"):
        if len(given.get(field, "")) > LONGEST_ATTRIBUTE:
            _raise(where, field, f"is over {LONGEST_ATTRIBUTE} characters", "shorten it")


def _add_site(given: Mapping[str, Any], default_url: str, where: str) -> dict[str, Any]:
    """The cookie with a place: a domain and path of its own, or those of an address."""
    cookie_with_site = dict(given)
    if "domain" not in cookie_with_site and "url" not in cookie_with_site:
        if not default_url:
            _raise(where, "domain", "and url are missing", "say which site the cookie is for")
        cookie_with_site["url"] = default_url
    if "domain" in cookie_with_site:
        cookie_with_site.pop("url", None)
        cookie_with_site["domain"] = _to_ascii(cookie_with_site["domain"])
        if not _DOMAIN.match(cookie_with_site["domain"]):
            _raise(
                where,
                "domain",
                f"{cookie_with_site['domain']!r} is no host",
                'as in ".example.com"',
            )
        cookie_with_site.setdefault("path", "/")
    else:
        parts = urlsplit(cookie_with_site["url"])
        if parts.scheme not in ("http", "https") or not parts.hostname:
            _raise(
                where,
                "url",
                f"{cookie_with_site['url']!r} is no http(s) address",
                "or give a domain",
            )
        cookie_with_site.setdefault("secure", parts.scheme == "https")
    if not cookie_with_site.get("path", "/").startswith("/"):
        _raise(where, "path", "does not begin with /", 'as in "/" or "/shop"')
    return cookie_with_site


def _to_ascii(domain: str) -> str:
    """A host as it travels: `münchen.de` is `xn--mnchen-3ya.de`."""
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
                f"{cookie['sameSite']!r} is unknown",
                f"one of {', '.join(SAME_SITE)}",
            )
        cookie["sameSite"] = known[0]
        if known[0] == "None" and not secure:
            _raise(where, "secure", "is false, which Chrome refuses with sameSite None", "set it")
    if name.lower().startswith(("__secure-", "__host-")) and not secure:
        _raise(where, "secure", f"is false, which the name {name!r} forbids", "set it, or rename")
    if name.lower().startswith("__host-"):
        if cookie.get("domain", "").startswith(".") or cookie.get("path", "/") != "/":
            _raise(where, "domain", "or path is not for the host alone", "no leading dot, path /")
        if "domain" in cookie:
            # Chrome counts any domain as one for the sub-domains too; an address says the host.
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
    """The site below which the cookie lives apart; empty for most."""
    key = cookie.get("partitionKey") or {}
    return str(key.get("topLevelSite", "")), bool(key.get("hasCrossSiteAncestor", False))


def is_same_cookie(wanted: Mapping[str, Any], stored: Mapping[str, Any]) -> bool:
    """Whether a stored cookie is the one that was asked for."""
    host = urlsplit(wanted["url"]).hostname if "url" in wanted else wanted.get("domain", "")
    path = wanted.get("path", stored["path"])
    return (
        wanted["name"] == stored["name"]
        and wanted["value"].strip() == stored["value"].strip()
        and _normalize_domain(str(host)) == _normalize_domain(stored["domain"])
        and path == stored["path"]
    )


def matches_filter(cookie: Mapping[str, Any], name: str, domain: str, path: str) -> bool:
    """Whether a stored cookie is one of those meant; what is empty does not matter."""
    return (
        name in ("", cookie["name"])
        and path in ("", cookie["path"])
        and (not domain or _normalize_domain(domain) == _normalize_domain(cookie["domain"]))
    )


def _normalize_domain(domain: str) -> str:
    return domain.lstrip(".").rstrip(".").strip("[]").lower()


def to_storage_state(cookie: Mapping[str, Any]) -> dict[str, Any]:
    """A stored cookie as a storageState file holds it."""
    form = {
        "name": cookie["name"],
        "value": cookie["value"],
        "domain": cookie["domain"],
        "path": cookie["path"],
        "expires": cookie["expires"] if not cookie.get("session") else -1,
        "httpOnly": cookie["httpOnly"],
        "secure": cookie["secure"],
        # What says nothing is treated as Lax, and such files always say something.
        "sameSite": cookie.get("sameSite", "Lax"),
    }
    site, crossed = partition_key_of(cookie)
    if site:
        form |= {"partitionKey": site, "_crHasCrossSiteAncestor": crossed}
    return form


def hide_values(cookies: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Cookies for reading: all but their values, of which only the length is told."""
    fields = ("name", "domain", "path", "expires", "httpOnly", "secure", "sameSite")
    return [
        {
            **{field: cookie[field] for field in fields if field in cookie},
            "value": f"[{len(cookie['value'])} characters]",
        }
        for cookie in cookies
    ]
