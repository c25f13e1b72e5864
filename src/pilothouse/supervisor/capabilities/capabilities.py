"""What a backend can do, as data, and what follows for its dialogs. Pure.

Knows: what a probe may find out (`Findings`), what is known without one (`LAUNCHED`), and how
dialogs are held in consequence (`choose`). Must not know: how to probe; `measure.py` does that.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pilothouse.supervisor.model import Mode

__all__ = ["LAUNCHED", "UNPROBED", "Capabilities", "Findings", "choose", "needs_probe"]

# A product's name proves little: Lightpanda calls itself Chrome. It counts only for browsers that
# we have launched ourselves.
_PRODUCTS = ("Chrome/", "HeadlessChrome/", "Chromium/")


class Findings(msgspec.Struct, frozen=True):
    """What is known of a backend; `probed` says whether this connection was tried.

    `opens`: a native dialog is told. `holds`: it stays until we answer. `answers`: the page gets
    our answer. `shared`: somebody else was attached to a tab that we had opened. `lent`: it is a
    user's own browser, of which tabs are lent and not the profile.
    """

    opens: bool = False
    holds: bool = False
    answers: bool = False
    debugger_bridge: bool = False
    xhr_bridge: bool = False
    frame_tree: bool = False
    oopif_evaluate: bool = False
    downloads: bool = False
    extensions: bool = False
    shared: bool = False
    lent: bool = False
    probed: bool = False
    note: str = ""

    @property
    def native(self) -> bool:
        """Whether the browser's own dialogs can be left to an agent."""
        return self.opens and self.holds and self.answers


# Any Chrome or Chromium on a pipe: the browser tests hold it to this.
LAUNCHED = Findings(
    opens=True,
    holds=True,
    answers=True,
    debugger_bridge=True,
    xhr_bridge=True,
    frame_tree=True,
    oopif_evaluate=True,
    downloads=True,
    extensions=True,
)

# A browser that takes no probe tab (Electron has no way to open one) is taken for a Chromium.
UNPROBED = LAUNCHED


class Capabilities(msgspec.Struct, frozen=True):
    """A backend's abilities on one connection, and how its dialogs are held there."""

    backend: str
    found: Findings
    page_mode: Mode
    frame_mode: Mode
    why: str

    @property
    def respond(self) -> str:
        """How the agent's answer reaches `alert`, `confirm` and `prompt` of a page:
        "native", "bridge" or "no"."""
        if self.page_mode == "native":
            return "native" if self.found.native else "no"
        return "bridge" if self.page_mode in _bridges(self.found) else "no"

    def shown(self) -> dict[str, Any]:
        """For an agent or a person: one flat look at what works here."""
        found = self.found
        told: dict[str, Any] = {
            "backend": self.backend,
            "measured": found.probed,
            "dialog_detect": found.opens or self.respond == "bridge",
            "dialog_respond": self.respond,
            # No script can stand in for it: it is native or it is nobody's.
            "beforeunload_respond": "native" if found.native else "no",
            "dialog_mode": {"page": self.page_mode, "oopif": self.frame_mode},
            "dialog_bridges": list(_bridges(found)),
            "frame_tree": found.frame_tree,
            "oopif_evaluate": found.oopif_evaluate,
            "downloads": found.downloads,
            "extensions": found.extensions,
            "why": self.why,
        }
        return {**told, "note": found.note} if found.note else told


def needs_probe(product: str, *, owned: bool) -> bool:
    """Whether a backend must be tried before it is trusted."""
    return not (owned and product.startswith(_PRODUCTS))


def choose(backend: str, found: Findings, wanted: str = "auto") -> Capabilities:
    """How dialogs are held on this backend. `wanted` other than "auto" is obeyed, and the
    result says so if it cannot work."""
    if wanted != "auto":
        mode: Any = wanted
        works = found.native if mode == "native" else mode in _bridges(found)
        why = f"{mode} was asked for" + ("" if works else ", but it cannot be answered here")
        return Capabilities(backend, found, mode, mode, why)
    bridges = _bridges(found)
    if found.native:
        # A native dialog of an out-of-process frame is lost, and the browser with it, when its
        # frame goes; a bridge that waits in a request costs nothing until a dialog opens.
        frame: Mode = "xhr" if found.xhr_bridge else bridges[0] if bridges else "native"
        return Capabilities(backend, found, "native", frame, "the browser holds its dialogs")
    told = "answers dialogs by itself" if found.opens else "does not tell of dialogs"
    if not bridges:
        why = f"the backend {told}, and no bridge holds one: they cannot be answered"
        return Capabilities(backend, found, "native", "native", why)
    why = f"the backend {told}; the {bridges[0]} bridge holds them"
    return Capabilities(backend, found, bridges[0], bridges[0], why)


def _bridges(found: Findings) -> tuple[Mode, ...]:
    """The bridges that hold a dialog here, the better one first."""
    bridges: list[Mode] = ["debugger"] if found.debugger_bridge else []
    return (*bridges, "xhr") if found.xhr_bridge else tuple(bridges)
