"""Records of actions on disk, so that a user can check later what happened. Off by default.

Knows: folders, limits, and that everything is redacted before it is written. Must not know: how a
page is read or rendered; callables do that. Recording never fails the action: the record names the
parts that could not be read.

    <directory>/index.jsonl            one line for each record that is kept
    <directory>/000017-click/          action.json, page.md, page.html, screen.jpg, console.txt

Screenshots are not redacted: they show whatever the page shows.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import shutil
import stat
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from pilothouse.errors import UsageError
from pilothouse.security.redaction import redact, redact_url, redact_value

__all__ = ["ActionRecord", "ActionRecorder", "RecordSources"]

_log = logging.getLogger(__name__)

PART_WITHIN_S = 3.0
LONGEST_TEXT = 500_000
CONSOLE_LINES = 200

_FOLDER = re.compile(r"(\d{6,})-[a-z0-9-]{1,40}")


class RecordSources(msgspec.Struct, frozen=True):
    """Callables that supply the parts of a record; a part that is None is left out."""

    markdown: Callable[[], Awaitable[str]] | None = None
    html: Callable[[], Awaitable[str]] | None = None
    image: Callable[[], Awaitable[bytes]] | None = None
    console: Callable[[], Iterable[str]] | None = None


class ActionRecord(msgspec.Struct, frozen=True):
    """One record on disk. `problems` names the parts that could not be read."""

    number: int
    folder: Path
    files: tuple[str, ...]
    problems: tuple[str, ...] = ()


class ActionRecorder:
    """Writes records to one directory and keeps the newest `keep` of them within `limit_mb`."""

    def __init__(self, directory: Path, *, limit_mb: float = 100.0, keep: int = 200) -> None:
        if keep < 1 or limit_mb <= 0:
            raise UsageError("keep and limit_mb: must be greater than 0", hint="use keep=200")
        self.directory = directory
        self.paused = False
        self._limit = int(limit_mb * 1_000_000)
        self._keep_records = keep
        self._lock = asyncio.Lock()
        self._last: int | None = None

    async def record(
        self,
        action: str,
        receipt: Mapping[str, Any] | None = None,
        *,
        url: str = "",
        title: str = "",
        sources: RecordSources | None = None,
        secrets: Iterable[str] = (),
    ) -> ActionRecord | None:
        """Record one action. Returns None while paused, or if nothing could be written.

        `secrets` are texts to redact wherever they occur, such as typed passwords.
        """
        if self.paused:
            return None
        known = tuple(secrets)
        async with self._lock:
            try:
                parts, problems = await _read_parts(sources or RecordSources())
                details = {
                    "action": action,
                    "receipt": receipt or {},
                    "url": redact_url(url),
                    "title": title,
                    "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
                    "problems": problems,
                }
                return await asyncio.to_thread(self._write_record, details, parts, known)
            except Exception:  # noqa: BLE001 - the action succeeded; its result matters more
                _log.exception("could not record an action in %s", self.directory)
                return None

    # File access. All of it runs in a thread, one record at a time.

    def _write_record(
        self, given: dict[str, Any], parts: Mapping[str, str | bytes], secrets: tuple[str, ...]
    ) -> ActionRecord:
        details = redact_value(given, secrets)
        _private_folder(self.directory)
        if self._last is None:
            self._last = max((number for number, _ in self._folders()), default=0)
        self._last += 1
        word = re.sub(r"[^a-z0-9]+", "-", details["action"].lower())[:24].strip("-") or "action"
        folder = self.directory / f"{self._last:06d}-{word}"
        folder.mkdir(mode=0o700)
        files = {"action.json": _json(details, indent=2), **_redact_parts(parts, secrets)}
        try:
            for name, data in files.items():
                _private_file(folder / name, data)
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)  # never leave half a record
            raise
        size = sum(map(len, files.values()))
        line = {"n": self._last, "folder": folder.name, "bytes": size, **details}
        line.pop("receipt")
        self._index(line)
        return ActionRecord(self._last, folder, tuple(files), tuple(details["problems"]))

    def _index(self, line: dict[str, Any]) -> None:
        """Append a line to the index, then delete the oldest records until all limits hold."""
        index = self.directory / "index.jsonl"
        lines = [_json(line)]
        if index.exists():
            lines = [*index.read_bytes().splitlines(), *lines]
        sizes = {folder: _size(folder) for _, folder in self._folders()}
        folders = list(sizes)
        while len(folders) > self._keep_records or (
            len(folders) > 1 and sum(sizes[f] for f in folders) > self._limit
        ):
            shutil.rmtree(folders.pop(0))
        remaining = {folder.name for folder in folders}
        lines = [text for text in lines if _folder_of(text) in remaining]
        draft = index.with_suffix(".part")
        draft.unlink(missing_ok=True)
        try:
            _private_file(draft, b"".join(text + b"\n" for text in lines))
            draft.replace(index)
        finally:
            draft.unlink(missing_ok=True)

    def _folders(self) -> list[tuple[int, Path]]:
        """Return the record folders, oldest first."""
        found = [
            (int(match[1]), entry)
            for entry in self.directory.iterdir()
            if (match := _FOLDER.fullmatch(entry.name)) and not entry.is_symlink()
        ]
        return sorted(found)


async def _read_parts(sources: RecordSources) -> tuple[dict[str, str | bytes], list[str]]:
    """Read all parts concurrently, each with its own timeout."""
    problems: list[str] = []

    async def part(name: str, source: Callable[[], Awaitable[Any]]) -> tuple[str, Any]:
        try:
            async with asyncio.timeout(PART_WITHIN_S):
                return name, await source()
        except Exception as error:  # noqa: BLE001 - the caller's code; the other parts are kept
            problems.append(f"{name}: {type(error).__name__}: {error}"[:300])
            return name, None

    async def console() -> str:
        lines = list(sources.console() if sources.console else ())[-CONSOLE_LINES:]
        return "\n".join(lines)

    wanted: dict[str, Callable[[], Awaitable[Any]] | None] = {
        "page.md": sources.markdown,
        "page.html": sources.html,
        "screen.jpg": sources.image,
        "console.txt": console if sources.console else None,
    }
    parts = await asyncio.gather(*(part(n, source) for n, source in wanted.items() if source))
    return {name: data for name, data in parts if data}, problems


def _redact_parts(parts: Mapping[str, str | bytes], secrets: tuple[str, ...]) -> dict[str, bytes]:
    redacted = {}
    for name, data in parts.items():
        if isinstance(data, str):
            cut = len(data) > LONGEST_TEXT
            text = redact(data[:LONGEST_TEXT], secrets)
            text += f"\n[cut: {len(data)} characters in all]" if cut else ""
            data = text.encode("utf-8", "replace")
        redacted[name] = data
    return redacted


def _json(value: Any, indent: int | None = None) -> bytes:
    return json.dumps(value, indent=indent, default=str).encode()


def _folder_of(line: bytes) -> str:
    try:
        return str(json.loads(line).get("folder"))
    except (ValueError, AttributeError):
        return ""  # a line cut short by a full disk


def _size(folder: Path) -> int:
    return sum(entry.stat(follow_symlinks=False).st_size for entry in os.scandir(folder))


def _private_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if stat.S_ISLNK(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(f"{folder} is a symbolic link or belongs to another user")
    if stat.S_IMODE(found.st_mode) != 0o700:
        folder.chmod(0o700)


def _private_file(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
