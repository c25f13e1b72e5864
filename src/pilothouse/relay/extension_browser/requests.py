"""Something the extension was or will be asked, and the frame it goes out in. Pure.

Knows: how a command is spelt on the extension's wire. Must not know: when it is sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from pilothouse.relay.extension_browser.types import Wrong, encode

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.client_session import Session
    from pilothouse.relay.extension_browser.debuggee import Strand

__all__ = ["Asked", "Then"]

Then = Callable[[msgspec.Raw | None, Wrong | None], None]


class Asked:
    """Something the extension was or will be asked."""

    __slots__ = ("done", "method", "params", "session", "strand", "then")

    def __init__(
        self,
        method: str,
        params: bytes | msgspec.Raw,
        then: Then,
        strand: Strand | None = None,
        session: Session | None = None,
    ) -> None:
        # A CDP method where there is a strand, else one of the extension's own.
        self.method = method
        self.params = params
        self.then = then
        self.strand = strand
        self.session = session
        self.done = False

    def frame(self, number: int) -> bytes:
        """As it goes out now: a strand's own id may change meanwhile."""
        strand = self.strand
        if strand is None:
            return b'{"id":%d,"method":"%b","params":%b}' % (
                number,
                self.method.encode(),
                bytes(self.params),
            )
        child = b',"childSessionId":%b' % encode(strand.child) if strand.child else b""
        head = b'{"id":%d,"method":"cdpCommand","params":{"tabId":%d%b' % (
            number,
            strand.tab.tab_id,
            child,
        )
        method, params, tab = encode(self.method), bytes(self.params), strand.tab
        if tab.frame_id:
            params = params.replace(tab.target_id.encode(), tab.frame_id.encode())
        return b'%b,"method":%b,"params":%b}}' % (head, method, params)

    def settle(self, result: msgspec.Raw | None, wrong: Wrong | None) -> None:
        """Answer it, once."""
        if not self.done:
            self.done = True
            self.then(result, wrong)
