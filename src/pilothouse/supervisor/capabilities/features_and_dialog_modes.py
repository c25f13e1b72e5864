"""The features of a backend as data, and the dialog modes that follow from them. Pure.

Knows: the features that a probe can detect (`BackendFeatures`), those known without one
(`CHROMIUM_FEATURES`), and the resulting dialog modes (`choose_dialog_modes`). Must not know: how to
probe; probe.py does that.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pilothouse.supervisor.model import DialogMode

__all__ = [
    "ASSUMED_FEATURES",
    "CHROMIUM_FEATURES",
    "BackendFeatures",
    "Capabilities",
    "choose_dialog_modes",
    "needs_probe",
]

# A product's name proves little: Lightpanda calls itself Chrome. Trust it only for browsers that we
# launched ourselves.
_PRODUCTS = ("Chrome/", "HeadlessChrome/", "Chromium/")


class BackendFeatures(msgspec.Struct, frozen=True):
    """The features of a backend; `probed` says whether this connection was tried.

    The first three are about native dialogs: Chrome reports them, they stay open until we answer,
    and the page gets our answer.
    `from_extension`: the user's own browser, whose tabs we may use but not its profile.
    """

    reports_dialogs: bool = False
    keeps_dialogs_open: bool = False
    takes_answers: bool = False
    debugger_bridge: bool = False
    xhr_bridge: bool = False
    frame_tree: bool = False
    oopif_evaluate: bool = False
    downloads: bool = False
    extensions: bool = False
    from_extension: bool = False
    probed: bool = False
    note: str = ""

    @property
    def holds_native_dialogs(self) -> bool:
        """Whether an agent can answer the browser's native dialogs."""
        return self.reports_dialogs and self.keeps_dialogs_open and self.takes_answers


# Any Chrome or Chromium on a pipe; the browser tests verify this.
CHROMIUM_FEATURES = BackendFeatures(
    reports_dialogs=True,
    keeps_dialogs_open=True,
    takes_answers=True,
    debugger_bridge=True,
    xhr_bridge=True,
    frame_tree=True,
    oopif_evaluate=True,
    downloads=True,
    extensions=True,
)

# Assumed for a browser that cannot open a probe tab, such as Electron: it is a Chromium.
ASSUMED_FEATURES = CHROMIUM_FEATURES


class Capabilities(msgspec.Struct, frozen=True):
    """A backend's features on one connection, and the chosen dialog modes."""

    backend: str
    features: BackendFeatures
    page_mode: DialogMode
    frame_mode: DialogMode
    why: str

    @property
    def dialog_respond(self) -> str:
        """How an agent's answer reaches `alert`, `confirm` and `prompt`: "native", "bridge" or
        "no"."""
        if self.page_mode == "native":
            return "native" if self.features.holds_native_dialogs else "no"
        return "bridge" if self.page_mode in _bridges(self.features) else "no"

    def to_dict(self) -> dict[str, Any]:
        """Return the capabilities as a flat dict, for agents and users."""
        features = self.features
        told: dict[str, Any] = {
            "backend": self.backend,
            "measured": features.probed,
            "dialog_detect": features.reports_dialogs or self.dialog_respond == "bridge",
            "dialog_respond": self.dialog_respond,
            # No script can replace `beforeunload`; only native support works.
            "beforeunload_respond": "native" if features.holds_native_dialogs else "no",
            "dialog_mode": {"page": self.page_mode, "oopif": self.frame_mode},
            "dialog_bridges": list(_bridges(features)),
            "frame_tree": features.frame_tree,
            "oopif_evaluate": features.oopif_evaluate,
            "downloads": features.downloads,
            "extensions": features.extensions,
            "why": self.why,
        }
        return {**told, "note": features.note} if features.note else told


def needs_probe(product: str, *, owned: bool) -> bool:
    """Return whether a backend must be probed."""
    return not (owned and product.startswith(_PRODUCTS))


def choose_dialog_modes(
    backend: str, features: BackendFeatures, wanted: str = "auto"
) -> Capabilities:
    """Choose how to hold dialogs on this backend. A `wanted` mode other than "auto" is used as
    given; the result says if it cannot work."""
    if wanted != "auto":
        mode: Any = wanted
        works = features.holds_native_dialogs if mode == "native" else mode in _bridges(features)
        why = f"{mode} was asked for" + ("" if works else ", but it cannot be answered here")
        return Capabilities(backend, features, mode, mode, why)
    bridges = _bridges(features)
    if features.holds_native_dialogs:
        # A native dialog of an out-of-process frame crashes the browser when its frame is removed.
        # The XHR bridge costs nothing until a dialog opens.
        frame: DialogMode = "xhr" if features.xhr_bridge else bridges[0] if bridges else "native"
        return Capabilities(backend, features, "native", frame, "the browser holds its dialogs")
    told = "answers dialogs by itself" if features.reports_dialogs else "does not tell of dialogs"
    if not bridges:
        why = f"the backend {told}, and no bridge holds one: they cannot be answered"
        return Capabilities(backend, features, "native", "native", why)
    why = f"the backend {told}; the {bridges[0]} bridge holds them"
    return Capabilities(backend, features, bridges[0], bridges[0], why)


def _bridges(features: BackendFeatures) -> tuple[DialogMode, ...]:
    """Return the bridges that work here, the better one first."""
    bridges: list[DialogMode] = ["debugger"] if features.debugger_bridge else []
    return (*bridges, "xhr") if features.xhr_bridge else tuple(bridges)
