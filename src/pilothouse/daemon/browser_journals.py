"""The journals of the daemon's browsers: what each supervisor was given, to be replayed later.

Knows: which browsers are followed, where their journals are written, and how many files are kept.
Must not know: what an event means (supervisor/journal). A journal holds the events of all owners of
a browser, because its state does. It is therefore written to a file that only the user of the
machine can read, and no call returns its content.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pilothouse.errors import PilothouseError, write_hint
from pilothouse.security.redaction import redact
from pilothouse.supervisor import Supervisor
from pilothouse.supervisor.journal import Journal

__all__ = ["BrowserJournals"]

_log = logging.getLogger(__name__)

LIMIT_BYTES = 2 * 1024**2
FILES_KEPT = 10
# A fault that repeats fills neither the disk nor the time of the daemon.
ERRORS_APART_S = 60.0


class BrowserJournals:
    """One journal per running browser. `mode` is the setting `daemon.journal`."""

    def __init__(
        self, folder: Path, mode: str, redact_text: Callable[[str], str] = lambda text: text
    ) -> None:
        self._folder = folder
        self._mode = mode
        self._redact_text = redact_text
        self._journals: dict[Supervisor, Journal] = {}
        self._written = 0
        self._error_at = float("-inf")

    def __len__(self) -> int:
        """Return the number of browsers that are followed."""
        return len(self._journals)

    def follow(self, supervisor: Supervisor) -> None:
        """Record a browser until its supervision ends. Repeated calls do nothing."""
        if self._mode == "off" or supervisor in self._journals:
            return
        self._journals[supervisor] = Journal(
            supervisor, limit_bytes=LIMIT_BYTES, messages=self._mode == "messages"
        )
        supervisor.on_end(lambda _: self._forget(supervisor))

    def _forget(self, supervisor: Supervisor) -> None:
        self._journals.pop(supervisor).close()

    def export(self, wanted: Callable[[Supervisor], bool] = lambda supervisor: True) -> list[Path]:
        """Write the journal of each browser that is `wanted` to a file; return the files.

        Raises PilothouseError if there is none, or if a file cannot be written."""
        journals = [journal for browser, journal in self._journals.items() if wanted(browser)]
        if self._mode == "off":
            raise PilothouseError(
                "journal export: daemon.journal is off", hint="set daemon.journal to events"
            )
        if not journals:
            raise PilothouseError(
                "journal export: no browser of yours is running", hint="open a tab first"
            )
        try:
            return self._write(journals)
        except OSError as error:
            raise PilothouseError(
                f"journal export: could not write to {self._folder}: {error.strerror}",
                hint=write_hint(error),
            ) from error

    def _write(self, journals: Iterable[Journal]) -> list[Path]:
        made = []
        stamp = time.strftime("%Y%m%dT%H%M%S")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for journal in journals:
            self._written += 1
            path = self._folder / f"{stamp}-{self._written}.jsonl"
            journal.export(path, self._clean)
            made.append(path)
        for old in sorted(self._folder.glob("*.jsonl"), key=_age)[: -max(FILES_KEPT, len(made))]:
            old.unlink(missing_ok=True)
        return made

    @contextmanager
    def written_on_internal_error(self) -> Iterator[None]:
        """Write all journals if the block raises what none of our errors describes."""
        try:
            yield
        except (PilothouseError, TimeoutError):
            raise
        except Exception:
            now = time.monotonic()
            if self._journals and now - self._error_at >= ERRORS_APART_S:
                self._error_at = now
                self._write_after_error()
            raise

    def _write_after_error(self) -> None:
        try:
            made = self._write(self._journals.values())
        except OSError as error:
            _log.warning("could not write the journals to %s: %s", self._folder, error.strerror)
        else:
            _log.error("internal error: wrote the journals to %s", ", ".join(map(str, made)))

    def _clean(self, value: Any) -> Any:
        """Redact the texts in a value. Ids are left as they are, or replay would confuse them."""
        match value:
            case dict():
                return {key: self._clean(part) for key, part in value.items()}
            case list() | tuple():
                return [self._clean(part) for part in value]
            case str() if "://" in value or " " in value:
                return redact(self._redact_text(value))
            case str():
                return self._redact_text(value)
        return value


def _age(path: Path) -> tuple[int, str]:
    return path.stat().st_mtime_ns, path.name
