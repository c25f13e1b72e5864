"""Transcripts: everything that went over one wire, as JSON lines.

    {"t": 0.0123, "d": "send" | "receive", "m": {...}}

Knows: how to record a connection and read the recording. Paths of the host never get in: a
recording is committed and must not say where it was made.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from pilothouse.cdp import Connection

__all__ = ["FOLDER", "Line", "read", "record"]

FOLDER = Path(__file__).parent / "transcripts"


@dataclass(frozen=True, slots=True)
class Line:
    """One message and when it passed, in seconds since the recording began."""

    at: float
    direction: str
    message: dict[str, Any]

    @property
    def frame(self) -> bytes:
        """The message as it travels."""
        return json.dumps(self.message).encode()


@contextmanager
def record(
    connection: Connection, path: Path, clean: Callable[[str], str] = lambda text: text
) -> Iterator[None]:
    """Write what passes while the block runs. `clean` may blot out what is private in a line."""
    started = monotonic()
    lines: list[str] = []

    def note(direction: str, frame: bytes) -> None:
        entry = {"t": round(monotonic() - started, 4), "d": direction, "m": json.loads(frame)}
        lines.append(clean(json.dumps(entry, separators=(",", ":"), ensure_ascii=False)))

    stop = connection.trace(note)
    try:
        yield
    finally:
        stop()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))


def read(path: Path) -> list[Line]:
    """The recording in order. Raises ValueError for a line that is none."""
    found = []
    for number, text in enumerate(path.read_text().splitlines(), start=1):
        try:
            entry = json.loads(text)
            line = Line(float(entry["t"]), entry["d"], entry["m"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path.name}:{number} is no transcript line: {error}") from error
        if line.direction not in ("send", "receive") or not isinstance(line.message, dict):
            raise ValueError(f"{path.name}:{number} is no transcript line")
        found.append(line)
    return found
