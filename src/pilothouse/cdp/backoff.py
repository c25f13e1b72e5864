"""When to try the wire again: pure arithmetic; the shell owns the clock and the dice."""

from __future__ import annotations

import msgspec

__all__ = ["Backoff"]

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 10.0
TRIES = 5

# After the loss of a wire that had worked, the first try comes at once, spread a little so that
# many clients of one proxy do not return in the same instant.
AT_ONCE_S = 0.05


class Backoff(msgspec.Struct, frozen=True):
    """How often it has failed since the wire last worked."""

    failures: int = 0

    def after_drop(self, *, worked: bool) -> Backoff:
        """The wire was up and dropped. One that never answered a command counts as a failure,
        so that an endpoint which only accepts and closes is given up in the end."""
        return Backoff() if worked else self.after_failure()

    def after_failure(self) -> Backoff:
        """One more try failed."""
        return Backoff(self.failures + 1)

    @property
    def exhausted(self) -> bool:
        """True when no further try is due."""
        return self.failures >= TRIES

    def delay(self, dice: float) -> float:
        """Seconds to wait before the next try; `dice` lies in [0, 1)."""
        if self.failures == 0:
            return AT_ONCE_S * (1 + dice)
        shortest: float = FIRST_DELAY_S * 2 ** (self.failures - 1)
        return min(LONGEST_DELAY_S, shortest * (1 + dice / 2))
