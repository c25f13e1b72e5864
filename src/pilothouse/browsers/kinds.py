"""The kinds of browsers that can be asked for, as values.

Knows: what tells one browser from another; a kind is the registry's key, so it is frozen and
hashable. Must not know: processes, sockets, how a kind is opened.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Literal, Protocol, get_args

import msgspec

from pilothouse.errors import BrowserError

__all__ = [
    "Connected",
    "Extension",
    "Headless",
    "Kind",
    "Proxy",
    "Spawned",
    "Stealth",
    "Viewport",
]

# How much is done so that a launched browser does not stand out; see docs/stealth.md.
Stealth = Literal["off", "minimal", "full"]

_YES = frozenset({"1", "true", "yes", "on"})


class Kind(Hashable, Protocol):
    """What every kind offers: equality, a hash, and a few words for people."""

    def describe(self) -> str:
        """The kind in a few words, free of secrets."""


class Viewport(msgspec.Struct, frozen=True):
    """The size of a page in CSS pixels, and how many device pixels make one."""

    width: int = 1365
    height: int = 768
    scale: float = 1.25


class Proxy(msgspec.Struct, frozen=True):
    """Through which server a launched browser speaks; `direct://` means none.

    Chrome never sends loopback traffic to a proxy unless `loopback_too` is set.
    """

    server: str
    bypass: tuple[str, ...] = ()
    loopback_too: bool = False
    ignore_cert_errors: bool = False

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Proxy | None:
        """The proxy named by PILOTHOUSE_PROXY*, else by PUPPETEER_PROXY*; None if neither is."""

        def value(name: str) -> str:
            return environ.get(f"PILOTHOUSE_{name}") or environ.get(f"PUPPETEER_{name}") or ""

        server = value("PROXY")
        if not server:
            return None
        return cls(
            server,
            loopback_too=value("PROXY_BYPASS_LOOPBACK").lower() in _YES,
            ignore_cert_errors=value("PROXY_IGNORE_CERT_ERRORS").lower() in _YES,
        )

    def flags(self) -> list[str]:
        """The switches that make Chrome use it. Raises BrowserError for a password in the URL."""
        if "@" in self.server:
            raise BrowserError(
                "the proxy address holds a user name or password",
                hint="Chrome takes none there; give the address alone and answer the auth request",
            )
        flags = [f"--proxy-server={self.server}"]
        bypass = [*self.bypass, *(["<-loopback>"] if self.loopback_too else [])]
        if bypass:
            flags.append("--proxy-bypass-list=" + ";".join(bypass))
        if self.ignore_cert_errors:
            flags.append("--ignore-certificate-errors")
        return flags


class Headless(msgspec.Struct, frozen=True):
    """A Chromium we launch and end, on a pipe.

    `headed` shows its windows. Without `proxy` the environment decides. `profile` names a
    profile that is kept; without it the profile ends with the browser. `args` are extra switches,
    checked against a deny-list. `stealth` belongs to the whole browser: two levels, two browsers.
    """

    headed: bool = False
    viewport: Viewport = Viewport()
    proxy: Proxy | None = None
    args: tuple[str, ...] = ()
    profile: str | None = None
    executable: str | None = None
    stealth: Stealth = "minimal"

    def __post_init__(self) -> None:
        if self.stealth not in (levels := get_args(Stealth)):
            raise BrowserError(
                f"stealth: {self.stealth!r} is not known", hint=f"one of {', '.join(levels)}"
            )

    def describe(self) -> str:
        """Such as `headless browser, profile "work"`; the usual level of stealth is not told."""
        shape = "headed browser" if self.headed else "headless browser"
        profile = f', profile "{self.profile}"' if self.profile else ""
        stealth = f", stealth {self.stealth}" if self.stealth != "minimal" else ""
        return shape + profile + stealth


class Connected(msgspec.Struct, frozen=True):
    """A browser somebody else runs, reached over its debugging endpoint.

    `endpoint` is an http(s) or ws(s) URL, a port, a DevToolsActivePort file or a user-data-dir.
    """

    endpoint: str
    target: str | None = None

    def describe(self) -> str:
        """Such as `browser at http://127.0.0.1:9222`."""
        from pilothouse.security.redaction import (
            redact_endpoint,  # launched ones need not wait for it
        )

        return f"browser at {redact_endpoint(self.endpoint)}"


class Spawned(msgspec.Struct, frozen=True):
    """An application built on Chromium: used as it runs, else started with `args`.

    `target` is a part of the URL or title of the page that is meant.
    """

    path: str
    args: tuple[str, ...] = ()
    target: str | None = None

    def describe(self) -> str:
        """Such as `application /opt/app/app`."""
        return f"application {self.path}"


class Extension(msgspec.Struct, frozen=True):
    """The user's own Chrome, lent through our extension; the relay brings it.

    `profile` names one of several that lend at once. `target` is a part of the URL or title of the
    tab that is meant; without it a new tab is opened.
    """

    profile: str = ""
    target: str | None = None

    def describe(self) -> str:
        """Such as `the user's Chrome, profile "work"`."""
        return "the user's Chrome" + (f', profile "{self.profile}"' if self.profile else "")
