"""The parameters of `open` and `close`, checked before anything is done. Pure."""

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
    "check_viewport",
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
    """Return a timeout in seconds, or None if none is given. Raises UsageError if it is no number
    or too long: a caller who gives 5000 means milliseconds."""
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds != seconds:
        raise UsageError(
            f"timeout: expected a number of seconds, got {seconds!r}", hint="give 1 to 300"
        )
    if seconds > LONGEST_S:
        hint = f"give seconds, at most {LONGEST_S:g}; call again to wait longer"
        if 1000 <= seconds <= LONGEST_S * 1000:
            hint = f"give seconds, not milliseconds: {seconds / 1000:g}; at most {LONGEST_S:g}"
        raise UsageError(
            f"timeout: expected at most {LONGEST_S:g} seconds, got {seconds:g}",
            hint=hint,
        )
    return float(seconds)


def clamp_timeout(seconds: Any) -> float:
    """Return a timeout of at least 1 s; 30 s if none is given. Raises UsageError."""
    given = check_timeout(seconds)
    return DEFAULT_TIMEOUT_S if given is None else max(given, SHORTEST_S)


def check_name(name: str) -> str:
    """Return the name if it is valid for a tab. Raises UsageError."""
    if not isinstance(name, str) or not _NAME.match(name):
        raise UsageError(
            f"name: {name!r} cannot be a tab's name",
            hint="use letters, digits, spaces and . : / @ - _, at most 64 characters",
        )
    return name


def popup_name(opener: str, taken: set[str]) -> str:
    """Return the next free name for a popup: `main.1`, `main.2`, and so on."""
    number = 1
    while f"{opener}.{number}" in taken:
        number += 1
    return f"{opener}.{number}"


class App(msgspec.Struct, frozen=True):
    """An application to start, or a running browser to connect to, instead of a managed one."""

    path: str = ""
    cdp_url: str = ""
    args: tuple[str, ...] = ()
    target: str = ""

    def __post_init__(self) -> None:
        _check_texts("app.", self, ("path", "cdp_url", "target"))
        if not isinstance(self.args, tuple) or not all(isinstance(a, str) for a in self.args):
            raise UsageError(
                f"app.args: expected a list of strings, got {self.args!r}",
                hint='give ["--flag", "value"]',
            )
        if self.path and self.cdp_url:
            raise UsageError(
                "app: path and cdp_url are both given",
                hint="give path to start it, or cdp_url to connect to it",
            )
        if not self.path and not self.cdp_url:
            raise UsageError("app: neither path nor cdp_url is given", hint="give one of them")


class OpenRequest(msgspec.Struct, frozen=True):
    """The checked parameters of `open`."""

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
    # Part of the URL or title of an existing tab, in the user's Chrome or in the browser that the
    # owner is connected to.
    target: str = ""
    timeout: float = DEFAULT_TIMEOUT_S

    def __post_init__(self) -> None:
        check_name(self.name)
        texts = ("url", "wait_until", "dialogs", "profile", "stealth", "browser", "target")
        _check_texts("", self, texts)
        if self.url:
            # The URL policy decides later which schemes are allowed.
            normalize_url(self.url, allowed=lambda scheme: True)
        if self.headed not in (None, True, False):
            raise UsageError(
                f"headed: expected true or false, got {self.headed!r}", hint="give true or false"
            )
        if self.wait_until not in WAITS:
            raise UsageError(
                f"wait_until: unknown value {self.wait_until!r}",
                hint=f"use one of {', '.join(WAITS)}",
            )
        if self.dialogs and self.dialogs not in DIALOGS:
            raise UsageError(
                f"dialogs: unknown value {self.dialogs!r}",
                hint="use accept, dismiss, or ask (dialogs wait for your answer)",
            )
        if self.stealth and self.stealth not in STEALTH_LEVELS:
            raise UsageError(
                f"stealth: unknown value {self.stealth!r}",
                hint=f"use one of {', '.join(STEALTH_LEVELS)}",
            )
        if self.stealth and self.app is not None:
            raise UsageError("stealth: not available for an app", hint="leave out stealth or app")
        if self.viewport is not None:
            check_viewport(self.viewport)
        if self.browser == "extension":
            _check_lent(self)
            return
        if self.browser not in BROWSERS:
            raise UsageError(
                f"browser: unknown value {self.browser!r}",
                hint="use managed (a browser we launch) or extension (the user's Chrome)",
            )
        if self.target and (self.app is not None or self.profile or self.browser == "managed"):
            raise UsageError(
                "target: only for pages of a connected browser or of the user's Chrome",
                hint="connect first, give browser: extension with it, or use app.target",
            )
        if self.app is not None and self.profile:
            raise UsageError("profile: not available for an app", hint="leave out profile or app")


def _check_lent(asked: OpenRequest) -> None:
    """Reject options that the user's Chrome does not support."""
    if asked.app is not None:
        raise UsageError("browser: extension and app are both given", hint="leave out one of them")
    for name in ("headed", "stealth"):
        if getattr(asked, name):
            raise UsageError(
                f"{name}: not available in the user's Chrome",
                hint=f"leave out {name}, or use browser: managed",
            )


def _check_texts(prefix: str, asked: object, names: tuple[str, ...]) -> None:
    for name in names:
        if not isinstance(given := getattr(asked, name), str):
            raise UsageError(
                f"{prefix}{name}: expected a string, got {given!r}", hint="give a string"
            )


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_viewport(viewport: dict[str, float]) -> None:
    """Raise UsageError that names the field of a viewport that is wrong."""
    if not isinstance(viewport, dict):
        raise UsageError(
            f"viewport: expected an object, got {viewport!r}", hint="give width, height, scale"
        )
    for side, least, most in (("width", 100, 7680), ("height", 100, 4320)):
        size = viewport.get(side)
        if not _is_number(size) or not least <= size <= most:
            raise UsageError(
                f"viewport.{side}: expected {least} to {most}, got {size!r}",
                hint="give a size in CSS pixels",
            )
    scale = viewport.get("scale", 1)
    if not _is_number(scale) or not 0.25 <= scale <= 5:
        raise UsageError(
            f"viewport.scale: expected 0.25 to 5, got {scale!r}", hint="give 1 for no scaling"
        )
    unknown = set(viewport) - {"width", "height", "scale"}
    if unknown:
        raise UsageError(
            f"viewport.{sorted(unknown)[0]}: unknown field", hint="use only: width, height, scale"
        )


class CloseRequest(msgspec.Struct, frozen=True):
    """The checked parameters of `close`."""

    name: str = DEFAULT_NAME
    all: bool = False
    kill: bool = False
    timeout: float = DEFAULT_TIMEOUT_S

    def __post_init__(self) -> None:
        check_name(self.name)
        for field in ("all", "kill"):
            if not isinstance(given := getattr(self, field), bool):
                raise UsageError(
                    f"{field}: expected true or false, got {given!r}", hint="give true or false"
                )


def open_request(given: Mapping[str, Any]) -> OpenRequest:
    """Check the parameters of `open`. Raises UsageError that names the field."""
    _check_fields("open", OpenRequest, given)
    asked = {**given, "timeout": clamp_timeout(given.get("timeout"))}
    app = asked.pop("app", None)
    if not app:
        return OpenRequest(**asked)
    if not isinstance(app, Mapping):
        raise UsageError(
            f"open: app: expected an object, got {app!r}",
            hint='give {"path": "/opt/app"} to start an application, or '
            '{"cdp_url": "http://127.0.0.1:9222"} to connect to a browser',
        )
    _check_fields("open: app", App, app)
    args = app.get("args") or ()
    if isinstance(args, str):
        raise UsageError(
            f"open: app.args: expected a list, got {args!r}", hint='give ["--flag", "value"]'
        )
    return OpenRequest(app=App(**{**app, "args": tuple(args)}), **asked)


def names_browser(given: Mapping[str, Any]) -> bool:
    """Return whether a call of `open` names a browser."""
    return any(given.get(name) for name in _OF_A_BROWSER)


def with_preferred(
    given: Mapping[str, Any], preferred: Mapping[str, Any], *, fresh: bool
) -> dict[str, Any]:
    """Merge a session's defaults into the parameters of `open`, unless the call names a browser.

    The viewport applies only to a `fresh` tab: an existing tab keeps its size."""
    named = names_browser(given)
    usual = {
        name: value
        for name, value in preferred.items()
        if (fresh if name == "viewport" else not named)
    }
    made = {**usual, **given}
    if "app" in usual and made.get("target"):  # `target` names a page of the default browser
        made["app"] = {**usual["app"], "target": made.pop("target")}
    return made


def close_request(given: Mapping[str, Any]) -> CloseRequest:
    """Check the parameters of `close`. Raises UsageError that names the field."""
    _check_fields("close", CloseRequest, given)
    return CloseRequest(**{**given, "timeout": clamp_timeout(given.get("timeout"))})


def _check_fields(what: str, kind: type[msgspec.Struct], given: Mapping[str, Any]) -> None:
    known = kind.__struct_fields__
    for name in given:
        if name not in known:
            raise UsageError(
                f"{what}: unknown field {name!r}", hint=f"use only: {', '.join(known)}"
            )
