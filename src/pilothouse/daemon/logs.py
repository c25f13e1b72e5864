"""The daemon's log file: JSON lines, rotated, with secrets redacted."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from pilothouse.security.redaction import redact

__all__ = ["start_log_file"]

_OWN = frozenset(logging.LogRecord("", 0, "", 0, "", (), None).__dict__) | {"message", "asctime"}
KEPT = 3


class _JsonFormatter(logging.Formatter):
    def __init__(self, redact_secrets: Callable[[Any], Any]) -> None:
        super().__init__()
        self._redact_secrets = redact_secrets

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S"),
            "level": record.levelname.lower(),
            "from": record.name.removeprefix("pilothouse."),
            "text": redact(record.getMessage()),
        }
        line |= {
            key: redact(value) if isinstance(value, str) else _plain(value)
            for key, value in record.__dict__.items()
            if key not in _OWN
        }
        if record.exc_info:
            line["trace"] = redact(self.formatException(record.exc_info))
        # Redact before encoding: a secret may begin or end with characters that JSON escapes.
        return json.dumps(self._redact_secrets(line))


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | None) else str(value)


class _PrivateFileHandler(RotatingFileHandler):
    def _open(self) -> Any:
        opened = super()._open()
        os.chmod(self.baseFilename, 0o600)
        return opened


def start_log_file(
    path: Path, megabytes: float, redact_secrets: Callable[[Any], Any] = lambda line: line
) -> None:
    """Log to a file of at most `megabytes`, with three older files.

    `redact_secrets` removes the user's secrets."""
    size = int(megabytes * 1_000_000)
    file = _PrivateFileHandler(path, maxBytes=size, backupCount=KEPT, encoding="utf-8")
    file.setFormatter(_JsonFormatter(redact_secrets))
    logging.captureWarnings(True)
    root = logging.getLogger()
    root.addHandler(file)
    root.setLevel(logging.INFO)
