"""What agents may do in the user's Chrome, according to the user's settings. Pure, except that it
reads its table once.

Knows: the table that the extension uses too (extension/background/read_only_methods.json). Neither
side trusts the other. What the table does not allow by name is refused. Must not know: who asks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from pilothouse.page.world import read_only_script_table
from pilothouse.relay.extension import source_dir
from pilothouse.relay.extension_browser.tab_and_message_types import ErrorReply, SharedTab, refusal
from pilothouse.relay.extension_browser.user_stop_reasons import PAUSED
from pilothouse.security.hosts_and_ip_addresses import parse_origin
from pilothouse.security.read_only_script_hashes import ReadOnlyScripts

__all__ = [
    "RestrictionTable",
    "add_side_effect_guard",
    "check_command",
    "check_open_tab",
    "check_tab",
    "is_attachable",
    "read_only_scripts",
    "restriction_table",
    "site_of",
]

Settings = Mapping[str, Any]

_READ_ONLY = "the user allows reading only (read only is on)"

# Chrome's Web Store, at its current and its old address. Chrome allows no debugger there.
_STORES = ("chromewebstore.google.com", "chrome.google.com")
_ABOUT = ("blank", "srcdoc")
_NO_PAGE = "pages of the browser, of extensions and of files are the user's alone"


class RestrictionTable:
    """The table, with its lists as sets."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.read = frozenset(table["read"])
        self.guarded: Mapping[str, Mapping[str, Any]] = table["guarded"]
        self.navigates = frozenset(table["navigates"])
        self.never: Mapping[str, str] = table["never"]
        # Methods to check even if the user restricts nothing.
        self.always = frozenset(self.never)


@cache
def restriction_table() -> RestrictionTable:
    """Read the table that ships with the extension. Raises PilothouseError if it is missing:
    without it nothing can be checked."""
    return RestrictionTable(_read_json("read_only_methods.json"))


@cache
def read_only_scripts() -> ReadOnlyScripts:
    """Return the scripts known to only read: Playwright's and our own."""
    theirs = _read_json("read_only_scripts.json")
    return ReadOnlyScripts(theirs, read_only_script_table())


def _read_json(name: str) -> Any:
    return json.loads((source_dir() / "background" / name).read_text("utf-8"))


def add_side_effect_guard(
    settings: Settings, method: str, params: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return an evaluation's params with `throwOnSideEffect`, so that Chrome refuses it if it would
    change anything. Returns None if they need no change."""
    rules = restriction_table().guarded.get(method) if settings.get("readOnly") else None
    if (
        rules is None
        or "throwOnSideEffect" not in rules
        or read_only_scripts().is_read_only(method, params)
    ):
        return None
    return {**params, **rules}


def is_attachable(url: str) -> bool:
    """Return whether an agent may use a URL. This is an allow list, the same as the extension's. An
    empty URL is a new tab's."""
    if not url:
        return True
    origin = parse_origin(url)
    match origin.scheme if origin is not None else "":
        case "http" | "https":
            return origin is not None and origin.host not in _STORES
        case "about":
            return origin is not None and origin.host in _ABOUT
        case "data":
            return True
        case "blob":
            inner = url.partition(":")[2]
            read = parse_origin(inner)
            if read is None:
                return inner.startswith("null/")
            return read.scheme in ("http", "https") and is_attachable(inner)
    return False


def site_of(url: str) -> str:
    """Return the origin of a URL, or "" if it has none that a tab could be locked to."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme == "file":
        return "file://"
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return ""
    host = parts.netloc.rpartition("@")[2].lower()
    usual = ":80" if parts.scheme == "http" else ":443"
    return f"{parts.scheme}://{host.removesuffix(usual)}"


def check_command(
    settings: Settings, method: str, params: Mapping[str, Any], tab: SharedTab | None
) -> ErrorReply | None:
    """Return why a CDP command on a tab is refused, or None."""
    rules = restriction_table()
    if method in rules.never:
        return _add_instructions(refusal(method, rules.never[method]), settings)
    if tab is not None and (error := check_tab(settings, tab)) is not None:
        return error
    if method == "Page.navigate" and not is_attachable(str(params.get("url", ""))):
        return _add_instructions(refusal(method, _NO_PAGE, "use a web address"), settings)
    if tab is not None and settings.get("lockUrl") and method in rules.navigates:
        to = site_of(str(params.get("url", ""))) if method == "Page.navigate" else ""
        if tab.locked_to and to != tab.locked_to:
            why = f"the user locked this tab to {tab.locked_to}"
            return _add_instructions(refusal(method, why, "stay on that site"), settings)
    if not settings.get("readOnly") or method in rules.read:
        return None
    return _add_instructions(_check_read_only(method, params, rules), settings)


def _check_read_only(
    method: str, params: Mapping[str, Any], rules: RestrictionTable
) -> ErrorReply | None:
    required = rules.guarded.get(method)
    if required is None:
        return refusal(method, _READ_ONLY, "use a method that only reads")
    if read_only_scripts().is_read_only(method, params):
        return None
    for name, value in required.items():
        if params.get(name) != value:
            return refusal(method, _READ_ONLY, f"send it with {name}: {json.dumps(value)}")
    return None


def check_tab(settings: Settings, tab: SharedTab) -> ErrorReply | None:
    """Return why nothing at all may be done on a tab now, or None."""
    if settings.get("paused"):
        return _add_instructions(refusal("it", PAUSED.reason, PAUSED.hint), settings)
    if settings.get("lockUrl") and tab.locked_to and site_of(tab.url) not in ("", tab.locked_to):
        why = f"the user locked this tab to {tab.locked_to}, and it is elsewhere"
        return _add_instructions(refusal("it", why, "ask the user to bring it back"), settings)
    return None


def check_open_tab(settings: Settings, url: str) -> ErrorReply | None:
    """Return why no tab may be opened, or None."""
    return _add_instructions(_check_open_tab(settings, url), settings)


def _check_open_tab(settings: Settings, url: str) -> ErrorReply | None:
    what = "to open a tab"
    if settings.get("paused"):
        return refusal(what, PAUSED.reason, PAUSED.hint)
    if settings.get("readOnly"):
        return refusal(what, _READ_ONLY, "use a tab that is shared")
    if settings.get("noNewTabs"):
        return refusal(what, "the user allows no new tabs", "use a tab that is shared")
    if settings.get("mode") == "manual" or settings.get("share") == "tab":
        return refusal(
            what, "the user shares only the tabs they pick", "use one of them, or ask for one"
        )
    if url and not is_attachable(url):
        return refusal(what, f"no agent can work on {url[:80]}", "use a web address")
    return None


def _add_instructions(error: ErrorReply | None, settings: Settings) -> ErrorReply | None:
    """Append the user's instructions to a refusal."""
    words = str(settings.get("userInstructions") or "").strip()
    if error is None or not words:
        return error
    return ErrorReply(error.code, f"{error.message} (the user says: {words})")
