"""Chrome's Network events, made for tests: the few fields that matter, as the wire brings them."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from pilothouse.page.network.requests_from_events import RequestLedger

__all__ = ["Talk", "raw"]


def raw(**params: Any) -> msgspec.Raw:
    """An event's params."""
    return msgspec.Raw(json.dumps(params, separators=(",", ":")).encode())


class Talk:
    """Tells a ledger the life of requests, one event a call, a second each."""

    def __init__(self, ledger: RequestLedger | None = None) -> None:
        self.ledger = ledger or RequestLedger()
        self.now = 0.0

    def tick(self) -> float:
        """The time of the next event."""
        self.now += 1.0
        return self.now

    def sent(self, request: str, url: str, session: str = "page", **fields: Any) -> None:
        """`requestWillBeSent`; a `redirect` is the status that led here."""
        at = self.tick()
        asked = {"url": url, "method": fields.pop("method", "GET")}
        asked |= {"headers": fields.pop("headers", {"Accept": "*/*"})}
        if "redirect" in fields:
            answer = {"status": fields.pop("redirect"), "headers": {}}
            fields |= {"redirectResponse": answer, "redirectHasExtraInfo": True}
        fields = {"type": "Document", "frameId": "F", "loaderId": "L"} | fields
        said = raw(requestId=request, timestamp=at, wallTime=1e9 + at, request=asked, **fields)
        self.ledger.on_request(said, session, session, at)

    def asked_extra(self, request: str, **headers: str) -> None:
        """`requestWillBeSentExtraInfo`."""
        self.ledger.on_extra_info("request", raw(requestId=request, headers=headers))

    def answer_extra(self, request: str, status: int = 200, **headers: str) -> None:
        """`responseReceivedExtraInfo`."""
        said = raw(requestId=request, headers=headers, statusCode=status)
        self.ledger.on_extra_info("response", said)

    def answered(
        self, request: str, status: int = 200, session: str = "page", **fields: Any
    ) -> None:
        """`responseReceived`."""
        at = self.tick()
        extra = fields.pop("hasExtraInfo", True)
        kind = fields.pop("type", "")
        answer = {"status": status, "mimeType": "text/html", "headers": {}} | fields
        said = raw(requestId=request, timestamp=at, type=kind, response=answer, hasExtraInfo=extra)
        self.ledger.on_response(said, session, at)

    def data(self, request: str, decoded: int, encoded: int = 0, session: str = "page") -> None:
        """`dataReceived`."""
        at = self.tick()
        said = raw(requestId=request, timestamp=at, dataLength=decoded, encodedDataLength=encoded)
        self.ledger.on_data(said, session, at)

    def finished(self, request: str, session: str = "page", size: int = 10) -> None:
        """`loadingFinished`."""
        at = self.tick()
        self.ledger.on_finished(
            raw(requestId=request, timestamp=at, encodedDataLength=size), session, at
        )

    def failed(self, request: str, text: str, **fields: Any) -> None:
        """`loadingFailed`."""
        at = self.tick()
        said = raw(requestId=request, timestamp=at, errorText=text, **fields)
        self.ledger.on_failed(said, "page", at)

    def open(self) -> list[str]:
        """The addresses of what is in flight."""
        return [record.url for record in self.ledger.open.values()]
