"""The document of a tab that nobody looked into yet: what can be said of it from its address.

Knows: Chrome's shapes of frames and lifecycle events. Must not know: sessions, contexts, or what
the tab really shows; `same` compares with that once it is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

__all__ = ["LIFECYCLE", "LazyDocument", "address_of", "child_frames", "without_fragment"]

Event = tuple[str, Mapping[str, Any]]

# What Chrome tells of a loaded document when lifecycle events are switched on, in its order.
LIFECYCLE = ("commit", "DOMContentLoaded", "load", "networkAlmostIdle", "networkIdle")
BLANK_URL = "about:blank"
OPAQUE_ORIGIN = "://"


@dataclass(frozen=True, slots=True)
class LazyDocument:
    """A document in the main frame of a tab, as its address lets us think of it."""

    frame: str
    url: str
    loader: str

    @staticmethod
    def for_url(frame: str, url: str, seed: str) -> LazyDocument:
        """The document at an address. `seed` makes its loader's id: the same gives the same."""
        loader = sha256(f"{seed} {frame}".encode()).hexdigest()[:32].upper()
        # A client waits for ever for a page whose address is empty to go somewhere.
        return LazyDocument(frame, BLANK_URL if url in ("", ":") else url, loader)

    @property
    def origin(self) -> str:
        """Its origin, as Chrome writes it."""
        try:
            parts = urlsplit(self.url)
        except ValueError:
            return OPAQUE_ORIGIN
        if parts.scheme == "file":
            return "file://"
        return f"{parts.scheme}://{parts.netloc}" if parts.netloc else OPAQUE_ORIGIN

    def to_frame(self) -> dict[str, Any]:
        """It as a frame of `Page.getFrameTree`."""
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
        """Lifecycle events of it; all that a loaded one has had, when none is named."""
        return [
            (
                "Page.lifecycleEvent",
                {"frameId": self.frame, "loaderId": self.loader, "name": name, "timestamp": 0},
            )
            for name in names or LIFECYCLE
        ]

    def matches_frame(self, frame: Mapping[str, Any]) -> bool:
        """Whether the frame that the tab really has shows this document. A page of the browser's
        own that says why an address does not load stands for that address."""
        ours = without_fragment(self.url)[0]
        return ours in (frame.get("url"), without_fragment(str(frame.get("unreachableUrl", "")))[0])


def address_of(frame: Mapping[str, Any]) -> str:
    """The whole address of a frame, fragment included."""
    return f"{frame.get('url', '')}{frame.get('urlFragment', '')}"


def without_fragment(url: str) -> tuple[str, str]:
    """An address, and its fragment with the sign."""
    address, sign, fragment = url.partition("#")
    return address, sign + fragment


def child_frames(tree: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The frames below the root of a frame tree, parents first."""
    waiting = list(tree.get("childFrames", ()))
    while waiting:
        child = waiting.pop(0)
        yield child["frame"]
        waiting[:0] = child.get("childFrames", ())
