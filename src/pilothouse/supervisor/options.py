"""How one browser is supervised, said once, before it begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.cdp import Command
from pilothouse.supervisor.capabilities import Findings
from pilothouse.supervisor.model import Policy, decided

__all__ = ["Options"]


class Options(msgspec.Struct, frozen=True):
    """How one browser is supervised."""

    owned: bool = True
    # What the browser has said it is, if it was asked.
    product: str = ""
    # What the backend can do, where it may not be tried on a tab of its own.
    known: Findings | None = None
    policy: Policy = msgspec.field(default_factory=Policy)
    page_setup: tuple[Command[Any], ...] = ()
    bridge: str = "auto"
    # The folder that downloads come to under their ids; without one there are none. Browsers that
    # are not ours keep theirs where their user has them, unless `all_downloads` says otherwise.
    downloads: str = ""
    all_downloads: bool = False
    permissions: Mapping[str, str] = msgspec.field(default_factory=decided)

    @property
    def keeps_downloads(self) -> bool:
        """Whether downloads come to us."""
        return bool(self.downloads) and (self.owned or self.all_downloads)
