"""How one browser is supervised, said once, before it begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.cdp import Command
from pilothouse.supervisor.capabilities import Findings
from pilothouse.supervisor.policy import ASKED_FOR, Policy

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
    downloads: str = ""
    permissions: Mapping[str, str] = msgspec.field(
        default_factory=lambda: dict.fromkeys(ASKED_FOR, "denied")
    )
