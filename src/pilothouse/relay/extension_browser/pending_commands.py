"""Commands of a page that serve several sessions at once, while they are on their way. Pure.

Knows: who waits for which answer. Must not know: what the commands do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.types import OK, TARGET_GONE, Wrong, encode

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import Core
    from pilothouse.relay.extension_browser.client_session import Session
    from pilothouse.relay.extension_browser.debuggee import Strand

__all__ = ["Flights"]


class Flights:
    """What is on its way on one strand."""

    def __init__(self, core: Core, strand: Strand) -> None:
        self._core = core
        self._strand = strand
        self._waiting: dict[str, list[tuple[Session, int]]] = {}

    def share(
        self,
        session: Session,
        number: int,
        method: str,
        sent: Mapping[str, Any] | None,
        failed: Callable[[], None],
    ) -> None:
        """Send a command, or answer it if there is nothing to send; who comes while the same is on
        its way waits with it."""
        if sent is None:
            waiting = self._waiting.get(method)
            if waiting is None:
                self._core.reply(session.id, number, OK)
            else:
                waiting.append((session, number))
            return
        mine = self._waiting[method] = [(session, number)]

        def settled(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
            if self._waiting.get(method) is mine:
                del self._waiting[method]
            if wrong is not None:
                failed()
            for who, asked in mine:
                self._core.settle(who.id, asked, result, wrong)

        self._core.ask_strand(self._strand, method, encode(sent), settled)

    def forsake(self, session: Session) -> None:
        """A session ends: it waits for nothing any more."""
        for waiting in self._waiting.values():
            for one in [pair for pair in waiting if pair[0] is session]:
                waiting.remove(one)
                self._core.fail(session.id, one[1], TARGET_GONE)

    def clear(self) -> None:
        """Nothing that comes later waits with what was sent before."""
        self._waiting.clear()
