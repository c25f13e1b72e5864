"""A peer that is an MCP server on stdio: just enough of the protocol to call its tools."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from bench.chromium import BenchError

__all__ = ["McpPeer"]


class McpPeer:
    """One running server. `call` returns the text of a tool's answer, errors included."""

    def __init__(
        self,
        command: Sequence[str],
        environ: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environ,
            cwd=folder,
        )
        self.pid = self._process.pid
        self._lines: Queue[bytes] = Queue()
        self._count = 0
        threading.Thread(target=self._read, daemon=True).start()
        about = {"name": "bench", "version": "1"}
        self._ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=about)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(
        self, tool: str, within: float = 60.0, *, strict: bool = False, **arguments: Any
    ) -> str:
        """Call a tool and wait for its answer; `strict` raises BenchError for one that failed."""
        answer = self._ask("tools/call", within, name=tool, arguments=arguments)
        result = answer.get("result", {})
        text = "\n".join(part.get("text", "") for part in result.get("content", ()))
        if strict and (result.get("isError") or "error" in answer):
            raise BenchError(f"{tool}: {' '.join((text or json.dumps(answer)).split())[:300]}")
        return text or json.dumps(answer)

    def tools(self) -> list[dict[str, Any]]:
        """Its list of tools. Raises BenchError if it has none."""
        listed: list[dict[str, Any]] = self._ask("tools/list").get("result", {}).get("tools", [])
        if not listed:
            raise BenchError("its list of tools is empty")
        return listed

    def close(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def _ask(self, method: str, within: float = 60.0, **params: Any) -> dict[str, Any]:
        self._count += 1
        self._send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        while True:
            try:
                message: dict[str, Any] = json.loads(self._lines.get(timeout=within))
            except Empty:
                raise BenchError(f"{method} was not answered within {within:g} s") from None
            if message.get("id") == self._count and "method" not in message:
                return message
            if "id" in message and "method" in message:
                # A question of the server's (roots, sampling): we offer nothing.
                error = {"code": -32601, "message": "not offered"}
                self._send({"jsonrpc": "2.0", "id": message["id"], "error": error})

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.strip():
                self._lines.put(line)
