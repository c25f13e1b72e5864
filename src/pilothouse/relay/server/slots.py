"""How many clients there may be at once, and who they are.

Knows: the two modes, who came when and was heard of last. Must not know: sockets, clocks: the time
is told. Also how long one who waits for the slot waits before it asks again (standby.py asks).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pilothouse.relay.interfaces import HttpRefusal

__all__ = [
    "DEAD_AFTER_S",
    "SLOT_BUSY",
    "STANDBY_S",
    "TOOLS_BUSY",
    "ClientMode",
    "Slots",
    "next_poll_delay",
]

ClientMode = Literal["multi-client", "single-active"]

# A client that has not even answered a ping for so long is dead, whatever its socket says.
DEAD_AFTER_S = 45.0

STANDBY_S = 30.0
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.2, 0.4

SLOT_BUSY = HttpRefusal(
    409,
    "Another CDP client is already connected",
    hint="ask /client-slot until it is not busy, or start the relay in the mode multi-client",
)
TOOLS_BUSY = HttpRefusal(
    409,
    "Tools of another owner are at work in this Chrome",
    hint=f"ask /client-slot until it is not busy: {STANDBY_S:.0f} s after their last call",
)


@dataclass(slots=True)
class _SlotHolder:
    label: str
    connected_at: str
    seen: float


class Slots:
    """Who is in."""

    def __init__(
        self, mode: ClientMode = "multi-client", dead_after_s: float = DEAD_AFTER_S
    ) -> None:
        self.mode = mode
        self._dead_after_s = dead_after_s
        self._clients: dict[str, _SlotHolder] = {}

    def dead_clients(self, now: float) -> list[str]:
        """Who holds the one slot and is dead: to be hung up on when somebody else asks for it."""
        if self.mode == "multi-client":
            return []
        return [key for key, one in self._clients.items() if now - one.seen >= self._dead_after_s]

    def take(self, client_id: str, label: str, now: float, connected_at: str) -> HttpRefusal | None:
        """Let a client in, unless the slot is taken. `connected_at` is the time as people tell
        it."""
        if self.mode == "single-active" and self._clients:
            return SLOT_BUSY
        self._clients[client_id] = _SlotHolder(label, connected_at, now)
        return None

    def mark_seen(self, client_id: str, now: float) -> None:
        """A client was heard of."""
        if client_id in self._clients:
            self._clients[client_id].seen = now

    def leave(self, client_id: str) -> None:
        """A client is gone."""
        self._clients.pop(client_id, None)

    def status(self, tools: Sequence[str] = ()) -> dict[str, Any]:
        """What `/client-slot` says. `tools` are owners whose tools hold the slot, too."""
        active = next(iter(self._clients), None) if self.mode == "single-active" else None
        return {
            "mode": self.mode,
            "busy": active is not None or (self.mode == "single-active" and bool(tools)),
            "activeClientId": active,
            "connectedAt": self._clients[active].connected_at if active else None,
            "clients": [
                {"id": key, "label": one.label, "connectedAt": one.connected_at}
                for key, one in self._clients.items()
            ],
            **({"tools": list(tools)} if tools else {}),
        }

    def anonymous_status(self, tools: Sequence[str] = ()) -> dict[str, Any]:
        """The same for one who may not know who the others are."""
        unknown: dict[str, Any] = {"activeClientId": None, "connectedAt": None, "clients": []}
        told = {**self.status(tools), **unknown}
        told.pop("tools", None)
        return told

    def __len__(self) -> int:
        return len(self._clients)


def next_poll_delay(random: float, elapsed_s: float) -> float | None:
    """How long to wait before the slot is asked for again, given a random number below 1, so that
    two who wait do not ask in step; None if it was waited for long enough."""
    if elapsed_s >= STANDBY_S:
        return None
    pause = SHORTEST_PAUSE_S + random * (LONGEST_PAUSE_S - SHORTEST_PAUSE_S)
    return min(pause, STANDBY_S - elapsed_s)
