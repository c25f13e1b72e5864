"""Hold new targets until every client that wants a session on them has set it up.

Knows: which targets are held, for which clients, and how each is released. Must not know: sessions,
sockets, supervisors.

A target may run at the first `Runtime.runIfWaitingForDebugger` of any session. So the barrier keeps
these commands back until the last awaited client has sent its own; a client that leaves counts as
ready. Then it sends the clients' commands, and then the holder's. If the target has a process
already, the holder's waits for the clients' replies, because the process could start before it
reads what was sent earlier. If it has no process yet, nobody would reply; there Chrome waits for
each session itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

__all__ = ["ResumeBarrier"]

# Sends a client's runIfWaitingForDebugger, and calls back when it is answered.
SendResume = Callable[[Callable[[], None]], None]


@dataclass(slots=True)
class _Held:
    awaited: set[Hashable]
    release: Callable[[], None]
    resumes: list[tuple[Hashable, SendResume]] = field(default_factory=list)
    # Clients whose commands were sent and have no reply; None before all clients are ready.
    unanswered: list[Hashable] | None = None
    live: bool = False


class ResumeBarrier:
    """The targets of one browser that are held for clients."""

    def __init__(self) -> None:
        self._held: dict[str, _Held] = {}
        # Targets known to have a process before they were held.
        self._live: set[str] = set()

    def hold(self, target: str, clients: Iterable[Hashable], release: Callable[[], None]) -> bool:
        """Hold a target until all these clients are ready.

        Returns False if there are none. `release` sends the holder's own command.
        """
        awaited = set(clients)
        if not awaited:
            return False
        self._held[target] = _Held(awaited, release, live=target in self._live)
        self._live.discard(target)
        return True

    def mark_live(self, target: str) -> None:
        """Note that a target has a process already, which replies."""
        held = self._held.get(target)
        if held is not None:
            held.live = True
        else:
            self._live.add(target)

    def is_held(self, target: str, client: Hashable | None = None) -> bool:
        """Return whether a target is held, or held for this client."""
        held = self._held.get(target)
        return held is not None and (client is None or client in held.awaited)

    def request_resume(self, target: str, client: Hashable, send: SendResume) -> None:
        """Let a target run for a client: its command is sent once all clients are ready."""
        held = self._held.get(target)
        if held is None or held.unanswered is not None:
            send(lambda: None)
            return
        held.resumes.append((client, send))
        held.awaited.discard(client)
        self._go_on(target, held)

    def stop_waiting_for(self, client: Hashable, target: str = "") -> None:
        """Stop waiting for a client, on this target or on all."""
        for name in [target] if target else list(self._held):
            held = self._held.get(name)
            if held is None:
                continue
            held.awaited.discard(client)
            held.resumes = [(who, send) for who, send in held.resumes if who != client]
            if held.unanswered is not None:
                held.unanswered = [who for who in held.unanswered if who != client]
            self._go_on(name, held)

    def held_for(self, client: Hashable) -> list[str]:
        """Return the targets that wait for a client."""
        return [name for name, held in self._held.items() if client in held.awaited]

    def forget_target(self, target: str) -> None:
        """Forget a destroyed target."""
        self._live.discard(target)
        self._free(target)

    def _go_on(self, target: str, held: _Held) -> None:
        if held.awaited or self._held.get(target) is not held:
            return
        if held.unanswered is None:
            resumes, held.resumes = held.resumes, []
            held.unanswered = [who for who, _ in resumes] if held.live else []
            for who, send in resumes:
                send(lambda who=who: self._answered(target, held, who))  # type: ignore[misc]
        if not held.unanswered and self._held.get(target) is held:
            held.release()
            self._free(target)

    def _answered(self, target: str, held: _Held, client: Hashable) -> None:
        if held.unanswered is not None and client in held.unanswered:
            held.unanswered.remove(client)
            self._go_on(target, held)

    def _free(self, target: str) -> None:
        self._held.pop(target, None)

    def __len__(self) -> int:
        return len(self._held)
