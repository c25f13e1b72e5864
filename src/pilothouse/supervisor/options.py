"""`Options`: how one browser is supervised, set before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.cdp import Command
from pilothouse.security.url_policy import OwnPorts
from pilothouse.supervisor.capabilities import BackendFeatures
from pilothouse.supervisor.model import Policy, permission_settings

__all__ = ["Options"]


class Options(msgspec.Struct, frozen=True):
    """How one browser is supervised."""

    owned: bool = True
    # The product string of `Browser.getVersion`, if it was fetched already.
    product: str = ""
    # The backend's features, where we must not open a probe tab to detect them.
    features: BackendFeatures | None = None
    policy: Policy = msgspec.field(default_factory=Policy)
    page_setup: tuple[Command[Any], ...] = ()
    bridge: str = "auto"
    # The folder for downloads, named by their guid; empty denies downloads. Browsers that we did
    # not launch keep theirs where the user has them, unless `all_downloads` is set.
    downloads: str = ""
    all_downloads: bool = False
    permissions: Mapping[str, str] = msgspec.field(default_factory=permission_settings)
    # Requests to these ports are paused and judged by the URL policy of their tab.
    own_ports: OwnPorts = msgspec.field(default_factory=OwnPorts)

    @property
    def keeps_downloads(self) -> bool:
        """Whether downloads go to our folder."""
        return bool(self.downloads) and (self.owned or self.all_downloads)
