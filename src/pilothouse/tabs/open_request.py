"""What `open` and `close` are asked for, checked before anything is done. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeGuard

import msgspec

from pilothouse.errors import UsageError
from pilothouse.page.navigation import normalize_url
from pilothouse.settings import STEALTH_LEVELS

__all__ = [
    "App",
    "CloseRequest",
    "OpenRequest",
    "check_name",
    "check_timeout",
    "clamp_timeout",
    "close_request",
    "names_browser",
    "open_request",
    "popup_name",
    "with_preferred",
]

DEFAULT_NAME = "main"
DEFAULT_TIMEOUT_S = 30.0
SHORTEST_S, LONGEST_S = 1.0, 300.0
WAITS = ("load", "domcontentloaded", "networkidle0", "networkidle2", "commit", "settled")
DIALOGS = ("accept", "dismiss", "ask")
BROWSERS = ("", "managed", "extension")
_OF_A_BROWSER = ("app", "browser", "headed", "profile", "stealth")

_NAME = re.compile(r"[\w][\w .:/@-]{0,63}\Z")


def check_timeout(seconds: Any) -> float | None:
    """A timeout as it was given, or None for none. Raises UsageError for what is no number."""
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds != seconds:
        raise UsageError(
            f"timeout: expected a number of seconds, got {seconds!r}", hint="give 1 to 300"
        )
    return float(seconds)


def clamp_timeout(seconds: Any) -> float:
    """A timeout within what is allowed; none is 30 s. Raises UsageError for what is no number."""
    given = check_timeout(seconds)
    return DEFAULT_TIMEOUT_S if given is None else min(max(given, SHORTEST_S), LONGEST_S)


def check_name(name: str) -> str:
    """A tab's name. Raises UsageError for what cannot be one."""
    if not isinstance(name, str) or not _NAME.match(name):
        raise UsageError(
            f"name: {name!r} cannot be a tab's name",
            hint="letters, digits, spaces and . : / @ - _, at most 64",
        )
    return name


def popup_name(opener: str, taken: set[str]) -> str:
    """`main.1`, `main.2`…: the next free one."""
    number = 1
    while f"{opener}.{number}" in taken:
        number += 1
    return f"{opener}.{number}"


class App(msgspec.Struct, frozen=True):
    """An application or a running browser instead of one of our own."""

    path: str = ""
    cdp_url: str = ""
    args: tuple[str, ...] = ()
    target: str = ""

    def __post_init__(self) -> None:
        _check_texts("app.", self, ("path", "cdp_url", "target"))
        if not isinstance(self.args, tuple) or not all(isinstance(a, str) for a in self.args):
            raise UsageError(f"app.args: {self.args!r} will not do", hint="a list of texts")
        if self.path and self.cdp_url:
            raise UsageError(
                "app: path and cdp_url are both given", hint="path starts it, cdp_url joins it"
            )
        if not self.path and not self.cdp_url:
            raise UsageError("app: neither path nor cdp_url is given", hint="give one of them")


class OpenRequest(msgspec.Struct, frozen=True):
    """What a tab shall be."""

    name: str = DEFAULT_NAME
    url: str = ""
    wait_until: str = "load"
    viewport: dict[str, float] | None = None
    dialogs: str = ""
    app: App | None = None
    profile: str = ""
    headed: bool | None = None
    stealth: str = ""
    browser: str = ""
    # Part of the address or title of the tab that is meant, in the user's Chrome or in the browser
    # that the owner has joined.
    target: str = ""
    timeout: float = DEFAULT_TIMEOUT_S

    def __post_init__(self) -> None:
        check_name(self.name)
        texts = ("url", "wait_until", "dialogs", "profile", "stealth", "browser", "target")
        _check_texts("", self, texts)
        if self.url:
            # Where it may lead is the fence's matter.
            normalize_url(self.url, allowed=lambda scheme: True)
        if self.headed not in (None, True, False):
            raise UsageError(f"headed: {self.headed!r} will not do", hint="true or false")
        if self.wait_until not in WAITS:
            raise UsageError(
                f"wait_until: {self.wait_until!r} is not known", hint=f"one of {', '.join(WAITS)}"
            )
        if self.dialogs and self.dialogs not in DIALOGS:
            raise UsageError(
                f"dialogs: {self.dialogs!r} is not known",
                hint="accept, dismiss, or ask (they wait for you)",
            )
        if self.stealth and self.stealth not in STEALTH_LEVELS:
            raise UsageError(
                f"stealth: {self.stealth!r} is not known", hint=f"one of {', '.join(STEALTH_LEVELS)}"
            )
        if self.stealth and self.app is not None:
            raise UsageError(
                "stealth: an app is left as it is", hint="it is for browsers that we launch"
            )
        if self.viewport is not None:
            _check_viewport(self.viewport)
        if self.browser == "extension":
            _check_lent(self)
            return
        if self.browser not in BROWSERS:
            raise UsageError(
                f"browser: {self.browser!r} is not known",
                hint="daemon (one of ours), or extension (the user's Chrome)",
            )
        if self.target and (self.app is not None or self.profile or self.browser == "managed"):
            raise UsageError(
                "target: it is for pages of a browser that was joined, or of the user's Chrome",
                hint="connect first, give browser: extension with it, or app.target",
            )
        if self.app is not None and self.profile:
            raise UsageError("profile: an app has its own", hint="leave out profile or app")


def _check_lent(asked: OpenRequest) -> None:
    """The user's Chrome is taken as it is."""
    if asked.app is not None:
        raise UsageError(
            "browser: the user's Chrome and an app are both given", hint="leave out one of them"
        )
    for name in ("headed", "stealth"):
        if getattr(asked, name):
            raise UsageError(
                f"{name}: the user's Chrome is left as it is",
                hint="it is for browsers that we launch",
            )


def _check_texts(prefix: str, asked: object, names: tuple[str, ...]) -> None:
    for name in names:
        if not isinstance(given := getattr(asked, name), str):
            raise UsageError(f"{prefix}{name}: {given!r} will not do", hint="a text is wanted")


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_viewport(viewport: dict[str, float]) -> None:
    if not isinstance(viewport, dict):
        raise UsageError(f"viewport: {viewport!r} will not do", hint="width, height, scale")
    for side, least, most in (("width", 100, 7680), ("height", 100, 4320)):
        size = viewport.get(side)
        if not _is_number(size) or not least <= size <= most:
            raise UsageError(
                f"viewport.{side}: {size!r} will not do", hint=f"{least} to {most} CSS pixels"
            )
    scale = viewport.get("scale", 1)
    if not _is_number(scale) or not 0.25 <= scale <= 5:
        raise UsageError(f"viewport.scale: {scale!r} will not do", hint="0.25 to 5")
    unknown = set(viewport) - {"width", "height", "scale"}
    if unknown:
        raise UsageError(
            f"viewport.{sorted(unknown)[0]}: no such field", hint="width, height, scale"
        )


class CloseRequest(msgspec.Struct, frozen=True):
    """Which tabs shall go."""

    name: str = DEFAULT_NAME
    all: bool = False
    kill: bool = False
    timeout: float = DEFAULT_TIMEOUT_S

    def __post_init__(self) -> None:
        check_name(self.name)
        for field in ("all", "kill"):
            if not isinstance(given := getattr(self, field), bool):
                raise UsageError(f"{field}: {given!r} will not do", hint="true or false")


def open_request(given: Mapping[str, Any]) -> OpenRequest:
    """What a call of `open` asks for. Raises UsageError that names the field."""
    _check_fields("open", OpenRequest, given)
    asked = {**given, "timeout": clamp_timeout(given.get("timeout"))}
    app = asked.pop("app", None)
    if not app:
        return OpenRequest(**asked)
    if not isinstance(app, Mapping):
        raise UsageError(
            f"open: app is {app!r}, an object is wanted",
            hint='{"path": "/opt/app"} starts one, {"cdp_url": "http://127.0.0.1:9222"} joins one',
        )
    _check_fields("open: app", App, app)
    args = app.get("args") or ()
    if isinstance(args, str):
        raise UsageError("open: app.args is a text, a list is wanted", hint='["--flag", "value"]')
    return OpenRequest(app=App(**{**app, "args": tuple(args)}), **asked)


def names_browser(given: Mapping[str, Any]) -> bool:
    """Whether a call of `open` says which browser it means."""
    return any(given.get(name) for name in _OF_A_BROWSER)


def with_preferred(
    given: Mapping[str, Any], preferred: Mapping[str, Any], *, fresh: bool
) -> dict[str, Any]:
    """What a call of `open` asks for, with what its session prefers where the call names no browser
    itself. A size is only for a `fresh` tab: one that is there keeps its own."""
    named = names_browser(given)
    usual = {
        name: value
        for name, value in preferred.items()
        if (fresh if name == "viewport" else not named)
    }
    made = {**usual, **given}
    if "app" in usual and made.get("target"):  # the page is one of the joined browser's
        made["app"] = {**usual["app"], "target": made.pop("target")}
    return made


def close_request(given: Mapping[str, Any]) -> CloseRequest:
    """What a call of `close` asks for. Raises UsageError that names the field."""
    _check_fields("close", CloseRequest, given)
    return CloseRequest(**{**given, "timeout": clamp_timeout(given.get("timeout"))})


def _check_fields(what: str, kind: type[msgspec.Struct], given: Mapping[str, Any]) -> None:
    known = kind.__struct_fields__
    for name in given:
        if name not in known:
            raise UsageError(
                f"{what}: there is no field {name!r}", hint=f"there are {', '.join(known)}"
            )
