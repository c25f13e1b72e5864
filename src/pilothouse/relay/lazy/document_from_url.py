"""The document of a tab without a debugger: what its URL alone tells.

Knows: Chrome's shapes of frames and lifecycle events. Must not know: sessions, contexts, or what
the tab really shows; `matches_frame` compares with that once it is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

__all__ = ["LIFECYCLE", "LazyDocument", "address_of", "child_frames", "without_fragment"]

Event = tuple[str, Mapping[str, Any]]

# The events Chrome sends for a loaded document when lifecycle events are enabled, in order.
LIFECYCLE = ("commit", "DOMContentLoaded", "load", "networkAlmostIdle", "networkIdle")
BLANK_URL = "about:blank"
OPAQUE_ORIGIN = "://"


@dataclass(frozen=True, slots=True)
class LazyDocument:
    """The document in a tab's main frame, as far as its URL tells."""

    frame: str
    url: str
    loader: str

    @staticmethod
    def for_url(frame: str, url: str, seed: str) -> LazyDocument:
        """Return the document at a URL. The same `seed` gives the same loader id."""
        loader = sha256(f"{seed} {frame}".encode()).hexdigest()[:32].upper()
        # Clients wait for ever for a page with an empty URL to navigate.
        return LazyDocument(frame, BLANK_URL if url in ("", ":") else url, loader)

    @property
    def origin(self) -> str:
        """Return its origin as Chrome writes it."""
        try:
            parts = urlsplit(self.url)
        except ValueError:
            return OPAQUE_ORIGIN
        if parts.scheme == "file":
            return "file://"
        return f"{parts.scheme}://{parts.netloc}" if parts.netloc else OPAQUE_ORIGIN

    def to_frame(self) -> dict[str, Any]:
        """Return it as a frame of `Page.getFrameTree`."""
        origin = self.origin
        host = urlsplit(origin).netloc.rpartition("@")[2].partition(":")[0]
        local = host in ("localhost", "127.0.0.1") or host.endswith(".localhost")
        address, fragment = without_fragment(self.url)
        secure = "SecureLocalhost" if local else "InsecureScheme"
        return {
            "id": self.frame,
            "loaderId": self.loader,
            "url": address,
            **({"urlFragment": fragment} if fragment else {}),
            "domainAndRegistry": "",
            "securityOrigin": origin,
            "securityOriginDetails": {"isLocalhost": local},
            "mimeType": "text/html",
            "adFrameStatus": {"adFrameType": "none"},
            "secureContextType": "Secure" if origin.startswith("https:") else secure,
            "crossOriginIsolatedContextType": "NotIsolated",
            "gatedAPIFeatures": [],
        }

    def lifecycle(self, *names: str) -> list[Event]:
        """Return these lifecycle events; without names, all that a loaded document has had."""
        return [
            (
                "Page.lifecycleEvent",
                {"frameId": self.frame, "loaderId": self.loader, "name": name, "timestamp": 0},
            )
            for name in names or LIFECYCLE
        ]

    def matches_frame(self, frame: Mapping[str, Any]) -> bool:
        """Return whether the tab's real frame shows this document.

        Chrome's error page counts as the URL that failed to load.
        """
        ours = without_fragment(self.url)[0]
        return ours in (frame.get("url"), without_fragment(str(frame.get("unreachableUrl", "")))[0])


def address_of(frame: Mapping[str, Any]) -> str:
    """Return the whole URL of a frame, with its fragment."""
    return f"{frame.get('url', '')}{frame.get('urlFragment', '')}"


def without_fragment(url: str) -> tuple[str, str]:
    """Split a URL into the part before the fragment and the fragment with its `#`."""
    address, sign, fragment = url.partition("#")
    return address, sign + fragment


def child_frames(tree: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the frames below the root of a frame tree, parents first."""
    waiting = list(tree.get("childFrames", ()))
    while waiting:
        child = waiting.pop(0)
        yield child["frame"]
        waiting[:0] = child.get("childFrames", ())
