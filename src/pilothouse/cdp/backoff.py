"""When to dial again after a drop. Pure arithmetic; the connection owns the clock and the dice."""

from __future__ import annotations

import msgspec

__all__ = ["Backoff"]

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 10.0
TRIES = 5

# After losing a connection that had worked, dial again almost at once. The small random spread
# keeps the clients of one proxy from returning in the same instant.
AT_ONCE_S = 0.05


class Backoff(msgspec.Struct, frozen=True):
    """How often dialling has failed since the connection last worked."""

    failures: int = 0

    def after_drop(self, *, worked: bool) -> Backoff:
        """Return the state after a drop. A connection that never answered a command counts as a
        failure, so that we give up on an endpoint that only accepts and closes."""
        return Backoff() if worked else self.after_failure()

    def after_failure(self) -> Backoff:
        """Return the state after one more failed dial."""
        return Backoff(self.failures + 1)

    @property
    def exhausted(self) -> bool:
        """Whether to give up."""
        return self.failures >= TRIES

    def delay(self, dice: float) -> float:
        """Return the seconds to wait before the next dial; `dice` is random in [0, 1)."""
        if self.failures == 0:
            return AT_ONCE_S * (1 + dice)
        shortest: float = FIRST_DELAY_S * 2 ** (self.failures - 1)
        return min(LONGEST_DELAY_S, shortest * (1 + dice / 2))
