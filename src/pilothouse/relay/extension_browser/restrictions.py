"""What agents may do in the user's Chrome, judged by the user's settings. Pure, save for reading
its table once.

Knows: the table that the extension judges by too (extension/readonly.json). Neither side trusts
the other. What is not allowed by name is refused. Must not know: who asks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from pilothouse.page.world import own_readers
from pilothouse.relay.extension import source_dir
from pilothouse.relay.extension_browser.types import Tab, Wrong, refused
from pilothouse.relay.extension_browser.user_stops import PAUSED
from pilothouse.security.ip_addresses import read_origin
from pilothouse.security.read_only_scripts import ReadScripts

__all__ = [
    "Table",
    "attachable",
    "guard",
    "judge",
    "judge_opening",
    "judge_tab",
    "readers",
    "site_of",
    "table",
]

Settings = Mapping[str, Any]

_READ_ONLY = "the user allows reading only (read only is on)"

# Chrome's Web Store, which Chrome keeps to itself, at its address of today and the old one.
_STORES = ("chromewebstore.google.com", "chrome.google.com")
_ABOUT = ("blank", "srcdoc")
_NO_PAGE = "pages of the browser, of extensions and of files are the user's alone"


class Table:
    """The table, with its lists as sets."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.read = frozenset(told["read"])
        self.guarded: Mapping[str, Mapping[str, Any]] = told["guarded"]
        self.navigates = frozenset(told["navigates"])
        self.never: Mapping[str, str] = told["never"]
        # What must be looked into even where the user restricts nothing.
        self.always = frozenset(self.never)


@cache
def table() -> Table:
    """The table that ships with the extension. Raises PilothouseError if it is missing: without it
    nothing can be judged."""
    return Table(json.loads((source_dir() / "readonly.json").read_text("utf-8")))


@cache
def readers() -> ReadScripts:
    """The scripts that are known to read only: Playwright's, and our own."""
    theirs = json.loads((source_dir() / "readers.json").read_text("utf-8"))
    return ReadScripts(theirs, own_readers())


def guard(settings: Settings, method: str, params: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The params of a script so that Chrome itself refuses it if it would change anything; None if
    they need no change."""
    rules = table().guarded.get(method) if settings.get("readOnly") else None
    if rules is None or "throwOnSideEffect" not in rules or readers().knows(method, params):
        return None
    return {**params, **rules}


def attachable(url: str) -> bool:
    """Whether an agent may be on such an address: an allow list, the same as the extension's. A tab
    without an address is a new one."""
    if not url:
        return True
    origin = read_origin(url)
    match origin.scheme if origin is not None else "":
        case "http" | "https":
            return origin is not None and origin.host not in _STORES
        case "about":
            return origin is not None and origin.host in _ABOUT
        case "data":
            return True
        case "blob":
            inner = url.partition(":")[2]
            read = read_origin(inner)
            if read is None:
                return inner.startswith("null/")
            return read.scheme in ("http", "https") and attachable(inner)
    return False


def site_of(url: str) -> str:
    """The site of an address, or "" where there is none to hold on to."""
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


def judge(
    settings: Settings, method: str, params: Mapping[str, Any], tab: Tab | None
) -> Wrong | None:
    """Why a CDP command on a tab is refused, or None."""
    rules = table()
    if method in rules.never:
        return _told(refused(method, rules.never[method]), settings)
    if tab is not None and (wrong := judge_tab(settings, tab)) is not None:
        return wrong
    if method == "Page.navigate" and not attachable(str(params.get("url", ""))):
        return _told(refused(method, _NO_PAGE, "use a web address"), settings)
    if tab is not None and settings.get("lockUrl") and method in rules.navigates:
        to = site_of(str(params.get("url", ""))) if method == "Page.navigate" else ""
        if tab.locked_to and to != tab.locked_to:
            why = f"the user locked this tab to {tab.locked_to}"
            return _told(refused(method, why, "stay on that site"), settings)
    if not settings.get("readOnly") or method in rules.read:
        return None
    return _told(_reading_only(method, params, rules), settings)


def _reading_only(method: str, params: Mapping[str, Any], rules: Table) -> Wrong | None:
    demanded = rules.guarded.get(method)
    if demanded is None:
        return refused(method, _READ_ONLY, "use what only reads")
    if readers().knows(method, params):
        return None
    for name, value in demanded.items():
        if params.get(name) != value:
            return refused(method, _READ_ONLY, f"send it with {name}: {json.dumps(value)}")
    return None


def judge_tab(settings: Settings, tab: Tab) -> Wrong | None:
    """Why nothing at all may be done on a tab now, or None."""
    if settings.get("paused"):
        return _told(refused("it", PAUSED.words, PAUSED.instead), settings)
    if settings.get("lockUrl") and tab.locked_to and site_of(tab.url) not in ("", tab.locked_to):
        why = f"the user locked this tab to {tab.locked_to}, and it is elsewhere"
        return _told(refused("it", why, "ask the user to bring it back"), settings)
    return None


def judge_opening(settings: Settings, url: str) -> Wrong | None:
    """Why no tab may be opened, or None."""
    return _told(_opening(settings, url), settings)


def _opening(settings: Settings, url: str) -> Wrong | None:
    what = "to open a tab"
    if settings.get("paused"):
        return refused(what, PAUSED.words, PAUSED.instead)
    if settings.get("readOnly"):
        return refused(what, _READ_ONLY, "use a tab that is shared")
    if settings.get("noNewTabs"):
        return refused(what, "the user allows no new tabs", "use a tab that is shared")
    if settings.get("mode") == "manual" or settings.get("share") == "tab":
        return refused(
            what, "the user shares only the tabs they pick", "use one of them, or ask for one"
        )
    if url and not attachable(url):
        return refused(what, f"no agent can work on {url[:80]}", "use a web address")
    return None


def _told(wrong: Wrong | None, settings: Settings) -> Wrong | None:
    words = str(settings.get("userInstructions") or "").strip()
    if wrong is None or not words:
        return wrong
    return Wrong(wrong.code, f"{wrong.message} (the user says: {words})")
