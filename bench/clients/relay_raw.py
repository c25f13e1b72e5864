"""A raw CDP client for the relay's benchmark: `websockets` without compression, JSON, one page.

    {"do": "trips", "calls": 300}   {"p50_us", "p95_us"}
    {"do": "big", "bytes": 5000000} {"ms"}

Knows: CDP. Must not know: what stands at the endpoint: it opens a tab of its own there.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from websockets.sync.client import ClientConnection, connect

EXPRESSION = "1+1"
WARM_UP_CALLS = 50


class Raw:
    """One connection and a session of its own page."""

    def __init__(self, wire: ClientConnection) -> None:
        self._wire = wire
        self._last_id = 0
        self._session = ""

    def open(self) -> None:
        """Open a tab and attach to it."""
        made = self.send("Target.createTarget", {"url": "about:blank"})
        attached = self.send("Target.attachToTarget", {**made, "flatten": True})
        self._session = attached["sessionId"]

    def send(self, method: str, params: dict[str, Any]) -> Any:
        """One command, one answer; events are passed over."""
        self._last_id += 1
        message: dict[str, Any] = {"id": self._last_id, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._wire.send(json.dumps(message))
        while (answer := json.loads(self._wire.recv(decode=False))).get("id") != self._last_id:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def value(self, expression: str) -> Any:
        """What an expression comes to."""
        wanted = {"expression": expression, "returnByValue": True}
        return self.send("Runtime.evaluate", wanted)["result"]["value"]


def trips(raw: Raw, calls: int) -> dict[str, float]:
    """Round trips, one after the other."""
    took = []
    for _ in range(calls):
        before = time.perf_counter_ns()
        raw.value(EXPRESSION)
        took.append(time.perf_counter_ns() - before)
    took.sort()
    return {"p50_us": took[calls // 2] / 1000, "p95_us": took[calls * 95 // 100] / 1000}


def big(raw: Raw, size: int) -> dict[str, float]:
    """One answer of that many bytes."""
    before = time.perf_counter()
    found = len(raw.value(f"'x'.repeat({size})"))
    took = (time.perf_counter() - before) * 1000
    if found != size:
        raise RuntimeError(f"{found} bytes came, not {size}")
    return {"ms": took}


def main() -> None:
    """Answer the harness until it says quit."""
    with connect(json.loads(sys.argv[1])["ws"], compression=None, max_size=None) as wire:
        raw = Raw(wire)
        raw.open()
        for _ in range(WARM_UP_CALLS):
            raw.value(EXPRESSION)
        print(json.dumps({"ready": "raw"}), flush=True)
        for line in sys.stdin:
            request = json.loads(line)
            if request["do"] == "quit":
                break
            told = trips(raw, request["calls"]) if request["do"] == "trips" else big(
                raw, request["bytes"]
            )  # fmt: skip
            print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
