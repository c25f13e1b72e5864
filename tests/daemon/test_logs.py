"""The daemon's log: JSON lines, private to its user, without secrets, limited in size."""

from __future__ import annotations

import json
import logging
import stat
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from pilothouse.daemon.logs import KEPT, start_log_file

_log = logging.getLogger("pilothouse.daemon.test")
_TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """A log that is kept for one test."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    start_log_file(tmp_path / "daemon.log", 0.002)
    yield tmp_path / "daemon.log"
    logging.captureWarnings(False)
    for handler in [h for h in root.handlers if h not in before]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_line_is_json_with_time_level_place_text_and_extras(log: Path) -> None:
    _log.info("line %d\nof two", 1, extra={"pid": 5})
    (line,) = _lines(log)
    assert line["level"] == "info"
    assert line["from"] == "daemon.test"
    assert line["text"] == "line 1\nof two"
    assert line["pid"] == 5
    assert str(line["at"]).count(":") == 2


def test_secrets_are_taken_out_of_texts_extras_and_traces(log: Path) -> None:
    _log.info("token %s", _TOKEN, extra={"url": f"https://a/?x={_TOKEN}"})
    try:
        raise ValueError(f"no {_TOKEN}")
    except ValueError:
        _log.exception("it failed")
    assert _TOKEN not in log.read_text()
    assert "ValueError" in str(_lines(log)[1]["trace"])


def test_extras_that_are_no_json_are_shown_as_text(log: Path) -> None:
    _log.info("x", extra={"where": Path("/p")})
    assert _lines(log)[0]["where"] == "/p"


def test_warnings_are_lines_like_any_other(log: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn("old thing", stacklevel=1)
    assert "old thing" in str(_lines(log)[0]["text"])


def test_log_is_rotated_and_no_file_is_open_to_others(log: Path) -> None:
    for number in range(200):
        _log.info("line %d %s", number, "x" * 50)
    files = sorted(log.parent.iterdir())
    assert len(files) == KEPT + 1
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert file.stat().st_size <= 2000
        _lines(file)
