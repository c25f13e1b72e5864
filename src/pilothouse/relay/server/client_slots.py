"""How many clients may connect at once, and which are connected. Pure.

Knows: the two modes, when each client connected and was last seen; how long to wait before asking
for the slot again (client_slot_wait.py does). Must not know: sockets, clocks (callers pass the
time).
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

# A client that has not even answered a ping for this long is dead, whatever its socket says.
DEAD_AFTER_S = 45.0

STANDBY_S = 30.0
MIN_DELAY_S, MAX_DELAY_S = 0.2, 0.4

SLOT_BUSY = HttpRefusal(
    409,
    "Another CDP client is already connected",
    hint="poll /client-slot until it is not busy, or set relay.client_mode to multi-client",
)
TOOLS_BUSY = HttpRefusal(
    409,
    "Tools of another owner are using this Chrome",
    hint=f"poll /client-slot until it is not busy: {STANDBY_S:.0f} s after their last call",
)


@dataclass(slots=True)
class _SlotHolder:
    label: str
    connected_at: str
    seen: float


class Slots:
    """The connected clients."""

    def __init__(
        self, mode: ClientMode = "multi-client", dead_after_s: float = DEAD_AFTER_S
    ) -> None:
        self.mode = mode
        self._dead_after_s = dead_after_s
        self._clients: dict[str, _SlotHolder] = {}

    def dead_clients(self, now: float) -> list[str]:
        """Return the dead holder of the one slot, to be disconnected when another client asks."""
        if self.mode == "multi-client":
            return []
        return [key for key, one in self._clients.items() if now - one.seen >= self._dead_after_s]

    def take(self, client_id: str, label: str, now: float, connected_at: str) -> HttpRefusal | None:
        """Let a client in, unless the slot is taken.

        `connected_at` is the wall-clock time to show.
        """
        if self.mode == "single-active" and self._clients:
            return SLOT_BUSY
        self._clients[client_id] = _SlotHolder(label, connected_at, now)
        return None

    def mark_seen(self, client_id: str, now: float) -> None:
        """Record a sign of life from a client."""
        if client_id in self._clients:
            self._clients[client_id].seen = now

    def leave(self, client_id: str) -> None:
        """Remove a client."""
        self._clients.pop(client_id, None)

    def status(self, tools: Sequence[str] = ()) -> dict[str, Any]:
        """Return the body of `/client-slot`. `tools`: owners whose tools hold the slot, too."""
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
        """Return the same without saying who the clients are."""
        unknown: dict[str, Any] = {"activeClientId": None, "connectedAt": None, "clients": []}
        told = {**self.status(tools), **unknown}
        told.pop("tools", None)
        return told

    def __len__(self) -> int:
        return len(self._clients)


def next_poll_delay(random: float, elapsed_s: float) -> float | None:
    """Return how long to wait before asking for the slot again; None after STANDBY_S.

    `random` (below 1) keeps two waiting clients from asking in step.
    """
    if elapsed_s >= STANDBY_S:
        return None
    delay = MIN_DELAY_S + random * (MAX_DELAY_S - MIN_DELAY_S)
    return min(delay, STANDBY_S - elapsed_s)
