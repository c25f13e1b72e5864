"""A release is checked before it is made; a dry run makes all of it but the tag."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pilothouse import __version__
from scripts.release import Failed, changes, checksums, main, version

_LOG = """# Changelog

## Unreleased

- Something new.

## 1.2.3 - 2026-01-02

### Added

- A thing.
- Another.

## 1.2.2 - 2026-01-01

Nothing.
"""


def test_version_is_read_and_must_be_one() -> None:
    assert version('x = 1\n__version__ = "1.2.3"\n') == "1.2.3"
    assert version('__version__ = "0.1.0rc1"\n') == "0.1.0rc1"
    for wrong in ("", '__version__ = "1.2"\n', '__version__ = "1.2.3.dev0"\n'):
        with pytest.raises(Failed, match="__version__"):
            version(wrong)


def test_section_of_a_version_is_found_and_must_list_changes() -> None:
    assert changes(_LOG, "1.2.3") == "### Added\n\n- A thing.\n- Another."
    assert changes(_LOG, "Unreleased") == "- Something new."
    with pytest.raises(Failed, match="no section"):
        changes(_LOG, "1.2")
    with pytest.raises(Failed, match="lists no change"):
        changes(_LOG, "1.2.2")


def test_checksums_are_those_that_sha256sum_checks(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"a")
    (tmp_path / "SHA256SUMS").write_text("old")
    assert checksums(tmp_path) == f"{hashlib.sha256(b'a').hexdigest()}  a.whl\n"


def test_dry_run_builds_and_says_what_it_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--dry-run"]) == 0, capsys.readouterr().err
    told = capsys.readouterr().out
    assert f"version    {__version__}" in told
    assert f"pilothouse-{__version__}-py3-none-any.whl" in told
    assert "twine      left out: no --tools" in told
    assert "tag        left out: dry run" in told
