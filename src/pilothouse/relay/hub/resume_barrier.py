"""Who is still to speak before a fresh target runs.

Knows: which targets wait, for which clients, and how each is let go. Must not know: sessions,
sockets, supervisors. A target may run at the first word of anybody, so all words are kept back
until the last one that is waited for; a client that leaves counts as having spoken. Then the
clients' words are sent, and then that of whoever holds it: where a process is there already, once
they are answered, for it might be faster than what was sent before them. Where there is none yet
nobody would answer; there Chrome itself waits for each.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

__all__ = ["ResumeBarrier"]

# Sends a client's word, and calls back when it is answered.
Word = Callable[[Callable[[], None]], None]


@dataclass(slots=True)
class _Held:
    awaited: set[Hashable]
    release: Callable[[], None]
    words: list[tuple[Hashable, Word]] = field(default_factory=list)
    # Whose words were sent and are not answered; None before all have spoken.
    unanswered: list[Hashable] | None = None
    then: list[Callable[[], object]] = field(default_factory=list)
    live: bool = False


class ResumeBarrier:
    """The targets of one browser that are kept from running for the sake of clients."""

    def __init__(self) -> None:
        self._held: dict[str, _Held] = {}
        # Targets with a process, of which that was known before anybody held them.
        self._live: set[str] = set()

    def hold(self, target: str, clients: Iterable[Hashable], release: Callable[[], None]) -> bool:
        """Keep a target until all of these have spoken; False when there is nobody to wait for.
        `release` says the word of whoever holds it."""
        awaited = set(clients)
        if not awaited:
            return False
        self._held[target] = _Held(awaited, release, live=target in self._live)
        self._live.discard(target)
        return True

    def mark_live(self, target: str) -> None:
        """A target has a process already, which answers."""
        held = self._held.get(target)
        if held is not None:
            held.live = True
        else:
            self._live.add(target)

    def is_held(self, target: str, client: Hashable | None = None) -> bool:
        """Whether a target waits, or waits for this one."""
        held = self._held.get(target)
        return held is not None and (client is None or client in held.awaited)

    def request_resume(self, target: str, client: Hashable, word: Word) -> None:
        """A client lets a target run: its word is sent on once all have spoken."""
        held = self._held.get(target)
        if held is None or held.unanswered is not None:
            word(lambda: None)
            return
        held.words.append((client, word))
        held.awaited.discard(client)
        self._go_on(target, held)

    def stop_waiting_for(self, client: Hashable, target: str = "") -> None:
        """A client will say nothing more, about this target or about any."""
        for name in [target] if target else list(self._held):
            held = self._held.get(name)
            if held is None:
                continue
            held.awaited.discard(client)
            held.words = [(who, word) for who, word in held.words if who != client]
            if held.unanswered is not None:
                held.unanswered = [who for who in held.unanswered if who != client]
            self._go_on(name, held)

    def held_for(self, client: Hashable) -> list[str]:
        """The targets that wait for a client."""
        return [name for name, held in self._held.items() if client in held.awaited]

    def forget_target(self, target: str) -> None:
        """A target is no more."""
        self._live.discard(target)
        self._free(target)

    def call_when_released(self, target: str, then: Callable[[], object]) -> None:
        """Call `then` once a target waits for nobody: now, if it waits for nobody now."""
        held = self._held.get(target)
        if held is None:
            then()
        else:
            held.then.append(then)

    def _go_on(self, target: str, held: _Held) -> None:
        if held.awaited or self._held.get(target) is not held:
            return
        if held.unanswered is None:
            words, held.words = held.words, []
            held.unanswered = [who for who, _ in words] if held.live else []
            for who, word in words:
                word(lambda who=who: self._answered(target, held, who))  # type: ignore[misc]
        if not held.unanswered and self._held.get(target) is held:
            held.release()
            self._free(target)

    def _answered(self, target: str, held: _Held, client: Hashable) -> None:
        if held.unanswered is not None and client in held.unanswered:
            held.unanswered.remove(client)
            self._go_on(target, held)

    def _free(self, target: str) -> None:
        held = self._held.pop(target, None)
        for then in held.then if held is not None else ():
            then()

    def __len__(self) -> int:
        return len(self._held)
