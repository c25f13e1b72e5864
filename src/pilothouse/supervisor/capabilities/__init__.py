"""What a backend can do, and how dialogs are held there.

    features_and_dialog_modes.py  pure: `BackendFeatures` (what is known of a backend),
                                  `CHROMIUM_FEATURES` (any Chrome that we launch),
                                  `choose_dialog_modes` -> `Capabilities`, which an agent reads as a
                                  dict
    probe.py                      `detect_features`: asks `Browser.getVersion`; an unknown backend
                                  is tried out
    on
                      a tab of our own (`probe_features`): native dialogs, both bridges, frames
    dialog_safe_commands.py  pure: `DIALOG_SAFE_COMMANDS`, the CDP methods that work while
    a
                      dialog blocks the page

`Supervisor.start` calls `detect_features`, then `choose_dialog_modes`. The chosen modes go into its
`SessionSetup`: native dialogs, or the debugger or XHR bridge (../model/dialog_bridge.py).
"""

from __future__ import annotations

from pilothouse.supervisor.capabilities.dialog_safe_commands import (
    DIALOG_SAFE_COMMANDS,
    HANDLE_DIALOG,
)
from pilothouse.supervisor.capabilities.features_and_dialog_modes import (
    CHROMIUM_FEATURES,
    BackendFeatures,
    choose_dialog_modes,
)
from pilothouse.supervisor.capabilities.probe import detect_features

__all__ = [
    "CHROMIUM_FEATURES",
    "DIALOG_SAFE_COMMANDS",
    "HANDLE_DIALOG",
    "BackendFeatures",
    "choose_dialog_modes",
    "detect_features",
]
