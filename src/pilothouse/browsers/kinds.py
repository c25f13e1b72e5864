"""The kinds of browsers that callers can ask for, as values.

Knows: what distinguishes one browser from another. A kind is the key of the registry, so it is
frozen and hashable. Must not know: processes, sockets, how a kind is opened.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Literal, Protocol, get_args

import msgspec

from pilothouse.errors import BrowserError

__all__ = [
    "AppKind",
    "BrowserKind",
    "ConnectedKind",
    "ExtensionKind",
    "HeadlessKind",
    "Proxy",
    "Stealth",
    "Viewport",
]

# How much of its automation a launched browser hides from pages; see docs/stealth.md.
Stealth = Literal["off", "minimal", "full"]

_YES = frozenset({"1", "true", "yes", "on"})


class BrowserKind(Hashable, Protocol):
    """What every kind has: equality, a hash and a description."""

    def describe(self) -> str:
        """Describe the kind in a few words, without secrets."""


class Viewport(msgspec.Struct, frozen=True):
    """The size of a page in CSS pixels, and the device pixels per CSS pixel."""

    width: int = 1365
    height: int = 768
    scale: float = 1.25


class Proxy(msgspec.Struct, frozen=True):
    """The proxy server of a launched browser; `direct://` means none.

    Chrome never sends loopback traffic to a proxy unless `proxy_loopback` is set.
    """

    server: str
    bypass: tuple[str, ...] = ()
    proxy_loopback: bool = False
    ignore_cert_errors: bool = False

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Proxy | None:
        """Read the proxy from PILOTHOUSE_PROXY*, else PUPPETEER_PROXY*; None if unset."""

        def value(name: str) -> str:
            return environ.get(f"PILOTHOUSE_{name}") or environ.get(f"PUPPETEER_{name}") or ""

        server = value("PROXY")
        if not server:
            return None
        return cls(
            server,
            proxy_loopback=value("PROXY_BYPASS_LOOPBACK").lower() in _YES,
            ignore_cert_errors=value("PROXY_IGNORE_CERT_ERRORS").lower() in _YES,
        )

    def flags(self) -> list[str]:
        """Return the switches for Chrome. Raises BrowserError for a password in the URL."""
        if "@" in self.server:
            raise BrowserError(
                "the proxy address contains a user name or password",
                hint="give the address alone, and answer the authentication request of the proxy",
            )
        flags = [f"--proxy-server={self.server}"]
        bypass = [*self.bypass, *(["<-loopback>"] if self.proxy_loopback else [])]
        if bypass:
            flags.append("--proxy-bypass-list=" + ";".join(bypass))
        if self.ignore_cert_errors:
            flags.append("--ignore-certificate-errors")
        return flags


class HeadlessKind(msgspec.Struct, frozen=True):
    """A Chromium that we launch on a pipe, and end.

    headed: show its windows
    proxy: without it the environment decides
    args: extra switches, checked against a deny list
    profile: name of a kept profile; without it the profile is deleted with the browser
    stealth: applies to the whole browser, so two levels mean two browsers
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
                f"stealth: unknown value {self.stealth!r}",
                hint=f"use one of {', '.join(levels)}",
            )

    def describe(self) -> str:
        """Such as `headless browser, profile "work"`; the default stealth level is left out."""
        shape = "headed browser" if self.headed else "headless browser"
        profile = f', profile "{self.profile}"' if self.profile else ""
        stealth = f", stealth {self.stealth}" if self.stealth != "minimal" else ""
        return shape + profile + stealth


class ConnectedKind(msgspec.Struct, frozen=True):
    """A browser that is already running, reached over its debugging endpoint.

    `endpoint` is an http(s) or ws(s) URL, a port, a DevToolsActivePort file or a user-data-dir.
    """

    endpoint: str
    target: str | None = None

    def describe(self) -> str:
        """Such as `browser at http://127.0.0.1:9222`."""
        from pilothouse.security.redaction import (
            redact_endpoint,  # late: launched browsers do not need it
        )

        return f"browser at {redact_endpoint(self.endpoint)}"


class AppKind(msgspec.Struct, frozen=True):
    """An application built on Chromium: the running one, or a new one with `args`.

    target: part of the URL or title of the page to use
    """

    path: str
    args: tuple[str, ...] = ()
    target: str | None = None

    def describe(self) -> str:
        """Such as `application /opt/app/app`."""
        return f"application {self.path}"


class ExtensionKind(msgspec.Struct, frozen=True):
    """The user's own Chrome, through our extension and the relay.

    profile: which one, if several are connected at once
    target: part of the URL or title of the tab to use; without it a new tab is opened
    """

    profile: str = ""
    target: str | None = None

    def describe(self) -> str:
        """Such as `the user's Chrome, profile "work"`."""
        return "the user's Chrome" + (f', profile "{self.profile}"' if self.profile else "")
